import type { JWTPayload } from "jose";
import { readableError } from "../../async/hook.js";
import { boundedLogger, safeLogger } from "../../observability/bounded-logger.js";
import { type Logger, silent } from "../../protocol/logger.js";
import type { StreamResponse } from "../../protocol/model.js";
import { headers } from "../request-headers.js";
import { headerOf, type PushRequest, RefusedPush } from "./push-request.js";
import { checkEnvelope, readPushEvent, type TaskEvent } from "./read-event.js";
import { ReplayCache } from "./replay-cache.js";
import { bringsBack, hasSecret, type Secrets } from "./secrets.js";
import { type Signature, type SignatureCheck, type SignatureRules, signatureCheck } from "./signature.js";

/** What a notification is about, before it is known to be genuine. */
export interface PushTarget {
  readonly taskId: string;
  /** URL of the request as the framework has it: lets each config have a path of its own. */
  readonly url: string;
}

/** A genuine notification (§4.3.3). */
export interface PushNotification {
  readonly event: StreamResponse;
  readonly taskId: string;
  /** Place of the event in the log of its task, when the agent says it. */
  readonly generation?: number;
  /** What the agent has signed; absent without `signature`. */
  readonly claims?: Readonly<JWTPayload>;
}

/** What came of a request: the status to answer with, without a body. */
export interface PushReceipt {
  /** 2xx exactly when the notification was taken, now or before (HOOK-01). */
  readonly status: number;
  /** For a log. Not for the sender. */
  readonly reason: string;
}

/** How a webhook takes notifications. */
export interface PushReceiverOptions {
  /**
   * Says what was handed out for a task, `{}` when nothing was; undefined when no such task is expected (HOOK-03). A notification
   * can be faster than the answer to the request that set it up: wait for that here.
   */
  readonly expect: (target: PushTarget) => Secrets | undefined | Promise<Secrets | undefined>;
  /**
   * Takes a notification: stores it, passes it on. The sender is told that it arrived when this returns, and sends it again
   * when it throws. For the whole task ask the agent (HOOK-10).
   */
  readonly onNotification: (notification: PushNotification) => void | Promise<void>;
  /** Demands that the agent has signed. Without it every expected task needs a secret. */
  readonly signature?: SignatureRules;
  /** Bytes of a notification; 10 MiB by default. */
  readonly maxBytes?: number;
  /** How many notifications are remembered in order to take none of them twice; 10 000 by default. */
  readonly memory?: number;
  /** Told of what was refused and why; nobody by default. */
  readonly logger?: Logger;
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly now?: () => number;
}

const MIB = 1024 * 1024;

/** Lines of one text a minute: anyone can send requests to a webhook. */
const LINES = 100;

/**
 * The owner's side of a webhook: lets genuine notifications through, each once, and refuses the rest. It checks what was handed
 * out, the agent's signature, the body and its age, and drops repetitions (HOOK-01 to HOOK-09).
 */
export class PushReceiver {
  readonly #options: PushReceiverOptions;
  readonly #verify: SignatureCheck | undefined;
  readonly #maxBytes: number;
  readonly #logger: Logger;
  readonly #now: () => number;
  /** Ids of signatures: the same one twice is somebody's copy. */
  readonly #ids: ReplayCache;
  /** Events: the same one twice is the sender's caution. */
  readonly #events: ReplayCache;

  /** @throws TypeError for rules of signatures that cannot be right */
  constructor(options: PushReceiverOptions) {
    const { signature, maxBytes = 10 * MIB, memory = 10_000, logger = silent, now = Date.now } = options;
    this.#options = options;
    this.#verify = signature && signatureCheck(signature);
    this.#maxBytes = maxBytes;
    this.#logger = boundedLogger(safeLogger(logger), { lines: LINES });
    this.#now = now;
    this.#ids = new ReplayCache(memory);
    this.#events = new ReplayCache(memory);
  }

  /** Bytes of a body beyond which there is no need to read it. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Answers a request to the webhook. Never rejects. */
  async receive(request: PushRequest): Promise<PushReceipt> {
    try {
      return await this.#receive(request);
    } catch (thrown) {
      const error = readableError(thrown);
      if (error instanceof RefusedPush) {
        this.#logger.warn({ status: error.status, reason: error.message }, "A notification was refused");
        return { status: error.status, reason: error.message };
      }
      this.#logger.error({ err: error }, "A notification could not be taken");
      return { status: 500, reason: "The notification could not be taken" };
    }
  }

  async #receive(request: PushRequest): Promise<PushReceipt> {
    checkEnvelope(request, this.#maxBytes);
    const signature = await this.#verify?.(request, this.#now());
    const found = await readPushEvent(request);
    await this.#authenticate(request, found, signature);
    const take = () => this.#take(request, found, signature);
    if (signature === undefined) return receipt(await take());
    if (this.#ids.has(signature.id)) throw new RefusedPush(409, "The signature was used before");
    let isRepeated = false;
    await this.#ids.once(signature.id, async () => {
      isRepeated = await take();
    });
    return receipt(isRepeated);
  }

  async #authenticate(
    request: PushRequest,
    { taskId }: TaskEvent,
    signature: Signature | undefined,
  ): Promise<void> {
    const secrets = await this.#options.expect({ taskId, url: request.url });
    if (secrets === undefined) {
      // Strangers do not learn which tasks there are.
      throw new RefusedPush(signature ? 404 : 401, "No such task is expected");
    }
    if (!signature && !hasSecret(secrets)) {
      throw new TypeError("A webhook without signature needs a token or credentials to know its sender by");
    }
    if (!bringsBack(request, secrets))
      throw new RefusedPush(401, "The token or the credentials are not those");
    const signed = signature?.claims.taskId;
    if (signed !== undefined && signed !== taskId)
      throw new RefusedPush(401, "The signature is for another task");
  }

  /** Hands a notification over. True when its event was taken before. */
  async #take(
    request: PushRequest,
    { event, taskId }: TaskEvent,
    signature: Signature | undefined,
  ): Promise<boolean> {
    const generation = Number(signature?.claims.generation ?? headerOf(request, headers.generation));
    const isNumbered = Number.isSafeInteger(generation) && generation > 0;
    const notification: PushNotification = {
      event,
      taskId,
      ...(isNumbered && { generation }),
      ...(signature && { claims: signature.claims }),
    };
    const hand = async () => this.#options.onNotification(notification);
    if (isNumbered) return this.#events.once(JSON.stringify([taskId, generation]), hand);
    await hand();
    return false;
  }
}

/** Makes the receiving end of a webhook. */
export function pushReceiver(options: PushReceiverOptions): PushReceiver {
  return new PushReceiver(options);
}

function receipt(isRepeated: boolean): PushReceipt {
  return { status: 204, reason: isRepeated ? "Taken before" : "Taken" };
}
