import type { Clock } from "../async/clock.js";
import { valueSize } from "../json/value-size.js";
import type { Observer } from "../observability/observer.js";
import type { Logger } from "../protocol/logger.js";
import type { Task } from "../protocol/model.js";
import type { TraceContext } from "../protocol/trace-context.js";
import type { PushRecord } from "../stores/push-store.js";
import type { StoredEntry } from "../stores/task-store.js";
import type { Codec } from "../versions/codec.js";
import { versionName } from "../versions/version.js";
import { withDeadline } from "./deadline.js";
import type { PushOptions } from "./options.js";
import { SMALL_BYTES } from "./per-address-semaphore.js";
import { factsOf, HookFailed, headersFor } from "./request-headers.js";
import { type DeliveryVerdict, judgeDelivery, readRetryAfter } from "./retry.js";
import type { Signer } from "./signer.js";
import { UrlRefused } from "./url-guard/check-url.js";
import type { GuardedAnswer } from "./url-guard/exchange.js";
import type { UrlGuard } from "./url-guard/url-guard.js";

/** What came of one attempt. */
export interface DeliveryOutcome {
  readonly verdict: DeliveryVerdict;
  /** For an operator; nothing secret. */
  readonly reason: string;
  /** Milliseconds that the webhook asked for before the next attempt. */
  readonly retryAfter?: number | undefined;
}

/** What a {@link Sender} works with. */
export interface SenderOptions {
  readonly guard: UrlGuard;
  /** Codec of every version served, the preferred one first. */
  readonly codecs: ReadonlyMap<string, Codec>;
  /** The task of a webhook as it stands; undefined when it is gone. */
  readonly taskOf: (record: PushRecord) => Promise<Task | undefined>;
  readonly credentials?: PushOptions["credentials"];
  readonly signer?: Signer | undefined;
  readonly observer?: Observer | undefined;
  /** Milliseconds for one attempt, from its first look at the task to the end of the webhook's answer. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How one attempt goes. */
export interface Route {
  readonly signal: AbortSignal;
  /** Addresses of the webhook; undefined when they are not known yet. */
  readonly addresses?: readonly string[] | undefined;
}

interface Attempt extends Route {
  readonly trace: TraceContext | undefined;
}

/** Makes one attempt to bring one event to one webhook (PUSH-01). */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /**
   * Finds out where a webhook is. Never rejects.
   * @returns its addresses; undefined when that cannot be said in the time for an attempt, and the attempt will tell why
   */
  async locate({ config }: PushRecord, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { guard, timeout, clock } = this.#options;
    const deadline = { milliseconds: timeout, signal, clock };
    return withDeadline(deadline, () => guard.addressesOf(config.url)).catch(() => undefined);
  }

  /**
   * About how many bytes a notification has: those of its event, or of the task as it stands where that is sent instead.
   * @param bytes those of the event
   */
  async bytesOf(record: PushRecord, bytes: number): Promise<number> {
    const { ofTask } = this.#codec(record).notification;
    return ofTask ? valueSize(await this.#options.taskOf(record)) : bytes;
  }

  /** Never rejects: a failure of any kind is an outcome. It is there when the time for an attempt is over, at the latest. */
  async send(record: PushRecord, entry: StoredEntry, { signal, addresses }: Route): Promise<DeliveryOutcome> {
    const { observer } = this.#options;
    const { scope, config } = record;
    const span = observer?.beginDelivery(scope, config.taskId, entry.trace);
    const outcome = await this.#attempt(record, entry, {
      trace: span?.trace ?? entry.trace,
      ...{ signal, addresses },
    });
    observer?.delivered(
      {
        scope,
        taskId: config.taskId,
        configId: config.id,
        generation: entry.generation,
        outcome: outcome.verdict,
        reason: outcome.reason,
      },
      span,
    );
    return outcome;
  }

  async #attempt(record: PushRecord, entry: StoredEntry, attempt: Attempt): Promise<DeliveryOutcome> {
    const { clock, logger, timeout } = this.#options;
    const { signal } = attempt;
    try {
      const answer = await withDeadline({ milliseconds: timeout, signal, clock }, (within) =>
        this.#request(record, entry, { ...attempt, signal: within }),
      );
      const retryAfter = readRetryAfter(answer.headers["retry-after"], clock.now());
      return {
        verdict: judgeDelivery(answer.status),
        reason: `The webhook answered ${answer.status}`,
        retryAfter,
      };
    } catch (error) {
      const { generation } = entry;
      const reason = reasonOf(error);
      if (!signal.aborted) logger.debug({ ...factsOf(record), generation, reason }, "A notification failed");
      return { verdict: "retry", reason };
    }
  }

  async #request(
    record: PushRecord,
    { event, generation }: StoredEntry,
    { trace, signal, addresses }: Attempt,
  ): Promise<GuardedAnswer> {
    const { guard, clock, logger, credentials, signer, taskOf } = this.#options;
    const { mediaType, ofTask, encode, credentialHeader } = this.#codec(record).notification;
    const body = encode(event, ofTask ? await taskOf(record) : undefined);
    const notification = { record, generation, body, mediaType, trace, credentialHeader };
    const headers = await headersFor(notification, { credentials, signer, logger, now: () => clock.now() });
    // The deadline of the attempt is that of the request, too.
    const timeout = Number.POSITIVE_INFINITY;
    return guard.request(record.config.url, {
      // A large text would be held by the heap as long as the webhook takes to read it.
      ...{ method: "POST", headers, signal, timeout, addresses },
      body: body.length > SMALL_BYTES ? Buffer.from(body) : body,
    });
  }

  /** The version in which the webhook was set up, or the preferred one when that is no longer served (PUSH-19). */
  #codec({ version }: PushRecord): Codec {
    const [preferred] = this.#options.codecs.values();
    const codec = this.#options.codecs.get(versionName(version)) ?? preferred;
    if (codec === undefined) throw new TypeError("No protocol version is served");
    return codec;
  }
}

/** Why a webhook could not be called. Texts of others are left out: they may name its address (PUSH-18). */
function reasonOf(error: unknown): string {
  if (error instanceof UrlRefused) return `Its URL ${error.message}`;
  if (error instanceof HookFailed) return error.message;
  if (!(error instanceof Error)) return "The webhook could not be called";
  return `The webhook could not be called (${"code" in error ? error.code : error.name})`;
}
