import type { JWTPayload } from "jose";
import { readableError } from "../../async/hook.js";
import type { JsonBounds } from "../../json/read-json.js";
import { unknownName } from "../../json/unknown-name.js";
import { boundedLogger, safeLogger } from "../../observability/bounded-logger.js";
import { type Logger, silent } from "../../protocol/logger.js";
import type { Received, StreamResponse } from "../../protocol/model.js";
import { headers } from "../request-headers.js";
import { headerOf, type PushRequest, RefusedPush } from "./push-request.js";
import { checkEnvelope, readPushEvent, type TaskEvent } from "./read-event.js";
import { ReplayCache } from "./replay-cache.js";
import { hasSecret, matchesSecrets, type Secrets } from "./secrets.js";
import { type Signature, type SignatureCheck, type SignatureRules, signatureCheck } from "./signature.js";

/** What a notification claims to be about. Its secrets are not checked yet. */
export interface PushTarget {
  /** Id of the task, as the body names it. */
  readonly taskId: string;
  /** URL of the request as the framework passes it. It identifies the config if each config has its own path. */
  readonly url: string;
}

/** An authenticated notification (§4.3.3). */
export interface PushNotification {
  /** The event, in the shape of the newest released version. */
  readonly event: Received<StreamResponse>;
  /** Id of the task that the event is about. */
  readonly taskId: string;
  /** Position of the event in the log of its task: 1, 2, 3 …; absent when the agent sends none that is valid. */
  readonly generation?: number;
  /** Claims of the verified signature; absent without `signature`. */
  readonly claims?: Readonly<JWTPayload>;
}

/** The outcome of a request: the status to answer with. The response needs no body. */
export interface PushReceipt {
  /**
   * 204 if the notification was accepted now, or its event earlier (§4.3.3); 409 if its signature is in use or was accepted before; another
   * 4xx if it is refused; 500 or 503 if it could not be processed, and the sender should retry.
   */
  readonly status: number;
  /** For the receiver's log. Do not send it to the caller. */
  readonly reason: string;
}

/** Options of {@link pushReceiver}. */
export interface PushReceiverOptions {
  /**
   * Returns the secrets that were registered for a task, `{}` for a task without secrets, or undefined for an unknown task (§4.3.3).
   * A notification can arrive before the response to the request that registered the webhook; in that case wait for the response here.
   *
   * @example
   * ```ts
   * expect: ({ taskId }) => secrets.get(taskId) // a Map<string, Secrets>
   * ```
   */
  readonly expect: (target: PushTarget) => Secrets | undefined | Promise<Secrets | undefined>;
  /**
   * Processes a notification, for example by storing it. The status is 204 when the function has succeeded, and 500 when it fails, so that
   * the sender retries. A notification has one event; call `getTask` for the whole task.
   *
   * @example
   * ```ts
   * onNotification: async ({ taskId, event }) => inbox.add(taskId, event)
   * ```
   */
  readonly onNotification: (notification: PushNotification) => void | Promise<void>;
  /** Requires a signature of the agent. Without it every expected task needs a secret. */
  readonly signature?: SignatureRules | undefined;
  /**
   * Longest body in bytes; 10 MiB by default. A body may hold 1,000,000 values and 100,000 members of objects, more in proportion with a
   * higher `maxBytes`.
   */
  readonly maxBytes?: number | undefined;
  /** Number of notifications to remember, for recognizing repetitions; 10,000 by default. */
  readonly memory?: number | undefined;
  /**
   * Logs notifications that `receive` refuses, with the reason, and those that fail, with the error: at most 100 of either kind per minute.
   * Silent by default.
   */
  readonly logger?: Logger | undefined;
  /** Current time in milliseconds since 1970; `Date.now` by default. */
  readonly now?: (() => number) | undefined;
}

/** The name of every option. */
const optionNames: Readonly<Record<keyof PushReceiverOptions, true>> = {
  ...{ expect: true, onNotification: true, signature: true, maxBytes: true, memory: true },
  ...{ logger: true, now: true },
};

/** Default of {@link PushReceiverOptions.maxBytes}. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Maximum number of log lines with the same text per minute. Anyone can send requests to a webhook, so the log needs a bound. */
const LINES = 100;

/**
 * Receives the notifications of a webhook. It checks the secrets, the body, and with the option `signature` the agent's signature and its
 * age. Only authentic notifications reach `onNotification` (§13.2). A numbered event that was accepted is not processed again, as
 * long as it is remembered, unless it arrives at another URL, where it is for another config. Create it with {@link pushReceiver}.
 * @example `const { status } = await receiver.receive({ method, url, headers, body });`
 */
export class PushReceiver {
  readonly #options: PushReceiverOptions;
  readonly #verify: SignatureCheck | undefined;
  readonly #maxBytes: number;
  readonly #logger: Logger;
  readonly #now: () => number;
  /** Ids of signatures. A second use of an accepted one is a replay and is refused. */
  readonly #ids: ReplayCache;
  /** Events at URLs. A second arrival of an accepted one is a retry by the sender and is answered with success. */
  readonly #events: ReplayCache;

  /** @throws TypeError as {@link pushReceiver} */
  constructor(options: PushReceiverOptions) {
    const unknown = unknownName(options ?? {}, optionNames);
    if (unknown !== undefined) throw new TypeError(unknown);
    for (const name of ["expect", "onNotification"] as const)
      if (typeof options?.[name] !== "function") throw new TypeError(`${name} must be a function`);
    const { signature, maxBytes = MAX_BYTES, memory = 10_000, logger = silent, now = Date.now } = options;
    for (const [name, limit] of Object.entries({ maxBytes, memory }))
      if (!(limit >= 1)) throw new TypeError(`${name} must be a number of at least 1`);
    this.#options = options;
    this.#verify = signature && signatureCheck(signature);
    this.#maxBytes = maxBytes;
    this.#logger = boundedLogger(safeLogger(logger), { lines: LINES });
    this.#now = now;
    this.#ids = new ReplayCache(memory);
    this.#events = new ReplayCache(memory);
  }

  /** Longest body in bytes. An adapter can stop reading a longer one. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Handles one request to the webhook. Never rejects: an error of the application becomes status 500. */
  async receive(request: PushRequest): Promise<PushReceipt> {
    try {
      return await this.#receive(request);
    } catch (thrown) {
      const error = readableError(thrown);
      if (error instanceof RefusedPush) {
        this.#logger.warn({ status: error.status, reason: error.message }, "A notification was refused");
        return { status: error.status, reason: error.message };
      }
      this.#logger.error({ err: error }, "A notification could not be processed");
      return { status: 500, reason: "The notification could not be processed" };
    }
  }

  async #receive(request: PushRequest): Promise<PushReceipt> {
    checkEnvelope(request, this.#maxBytes);
    const signature = await this.#verify?.(request, this.#now());
    const found = await readPushEvent(request, boundsOf(this.#maxBytes));
    await this.#authenticate(request, found, signature);
    const accept = () => this.#accept(request, found, signature);
    if (signature === undefined) return receipt(await accept());
    if (this.#ids.has(signature.id)) throw new RefusedPush(409, "The signature was used before");
    let isRepeated = false;
    await this.#ids.once(signature.id, async () => {
      isRepeated = await accept();
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
      // An unauthenticated caller must not learn which tasks exist.
      throw new RefusedPush(signature ? 404 : 401, "No such task is expected");
    }
    if (!signature && !hasSecret(secrets)) {
      throw new TypeError(
        "Without a signature the webhook needs a token or credentials to authenticate the sender",
      );
    }
    if (!matchesSecrets(request, secrets))
      throw new RefusedPush(401, "The token or the credentials do not match");
    const signed = signature?.claims.taskId;
    if (signed !== undefined && signed !== taskId)
      throw new RefusedPush(401, "The signature is for another task");
  }

  /** Passes a notification to the application. Returns true when its event was accepted before. */
  async #accept(
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
    const handle = async () => this.#options.onNotification(notification);
    if (isNumbered) return this.#events.once(JSON.stringify([request.url, taskId, generation]), handle);
    await handle();
    return false;
  }
}

/**
 * Creates a receiver of push notifications. Use {@link pushMiddleware} to mount it in Koa; with any other framework call
 * {@link PushReceiver.receive} and answer with its status.
 *
 * @throws TypeError for an option that does not exist, an `expect` or `onNotification` that is not a function, a `maxBytes` or `memory`
 * that is not at least 1, and invalid rules in `signature`
 * @example
 * ```ts
 * const receiver = pushReceiver({
 *   expect: ({ taskId }) => secrets.get(taskId),
 *   onNotification: ({ taskId, event }) => console.log(taskId, event),
 * });
 * const { status } = await receiver.receive({ method: "POST", url: "/hook", headers, body });
 * ```
 */
export function pushReceiver(options: PushReceiverOptions): PushReceiver {
  return new PushReceiver(options);
}

/**
 * Limits on the content of a body. Anyone can send one to a webhook, and many small values cost more time and memory than one long string
 * of the same size.
 */
function boundsOf(maxBytes: number): JsonBounds {
  const share = Math.max(1, maxBytes / MAX_BYTES);
  return { values: 1_000_000 * share, members: 100_000 * share };
}

function receipt(isRepeated: boolean): PushReceipt {
  return { status: 204, reason: isRepeated ? "Accepted before" : "Accepted" };
}
