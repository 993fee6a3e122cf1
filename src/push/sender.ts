import type { Clock } from "../async/clock.js";
import { withDeadline } from "../async/deadlines.js";
import { valueSize } from "../json/value-size.js";
import type { Observer } from "../observability/observer.js";
import type { Logger } from "../protocol/logger.js";
import type { Task } from "../protocol/model.js";
import type { TraceContext } from "../protocol/trace-context.js";
import type { PushRecord } from "../stores/push-store.js";
import type { StoredEntry } from "../stores/task-store.js";
import { tag } from "../task-log/log.js";
import type { Codec } from "../versions/codec.js";
import { codecOfCall } from "../versions/codecs.js";
import { versionName } from "../versions/version.js";
import type { PushOptions } from "./options.js";
import { SMALL_BYTES } from "./per-address-semaphore.js";
import { factsOf, HookFailed, notificationHeaders } from "./request-headers.js";
import { type DeliveryResult, readRetryAfter, resultOf } from "./retry.js";
import type { Signer } from "./signer.js";
import { UrlRefused } from "./url-guard/check-url.js";
import type { GuardedAnswer } from "./url-guard/connections.js";
import type { UrlGuard } from "./url-guard/url-guard.js";

const encoder = new TextEncoder();

/** The outcome of one attempt. */
export interface DeliveryOutcome {
  readonly result: DeliveryResult;
  /** A sentence for operators, without secrets. */
  readonly reason: string;
  /** Milliseconds that the webhook asked to wait before the next attempt. */
  readonly retryAfter?: number | undefined;
}

/** What a {@link Sender} works with. */
export interface SenderOptions {
  readonly guard: UrlGuard;
  /** Codecs of the served versions. The first one also writes the notifications of versions that are no longer served. */
  readonly codecs: ReadonlyMap<string, Codec>;
  /** Loads the current task of a webhook; undefined when it is deleted. */
  readonly taskOf: (record: PushRecord) => Promise<Task | undefined>;
  readonly credentials?: PushOptions["credentials"];
  readonly signer?: Signer | undefined;
  readonly observer?: Observer | undefined;
  /** Milliseconds for one attempt, from loading the task to the end of the response, and for {@link Sender.locate}. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Parameters of one attempt. */
export interface AttemptOptions {
  readonly signal: AbortSignal;
  /** Addresses of the webhook, from {@link Sender.locate}. If undefined, the host is resolved when a connection is made. */
  readonly addresses?: readonly string[] | undefined;
}

interface Attempt extends AttemptOptions {
  readonly trace: TraceContext | undefined;
}

/** Makes single attempts to deliver events to webhooks (§4.3.3). */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /**
   * Resolves the host of a webhook. Never rejects.
   * @returns its addresses; undefined when this fails, is aborted or is not done in time
   */
  async locate({ config }: PushRecord, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { guard, timeout, clock } = this.#options;
    const deadline = { milliseconds: timeout, signal, clock };
    return withDeadline(deadline, () => guard.addressesOf(config.url)).catch(() => undefined);
  }

  /**
   * Approximate size of a notification in bytes: that of its event, or of the current task in versions whose notifications contain it.
   * @param bytes size of the event
   * @throws what the store throws when the task has to be loaded
   */
  async bytesOf(record: PushRecord, bytes: number): Promise<number> {
    const { needsTask } = this.#codec(record).notification;
    return needsTask ? valueSize(await this.#options.taskOf(record)) : bytes;
  }

  /** Sends one event. Never rejects: every failure is an outcome. Resolves within the timeout of an attempt. */
  async send(
    record: PushRecord,
    entry: StoredEntry,
    { signal, addresses }: AttemptOptions,
  ): Promise<DeliveryOutcome> {
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
        outcome: outcome.result,
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
        result: resultOf(answer.status),
        reason: `The webhook answered ${answer.status}`,
        retryAfter,
      };
    } catch (error) {
      const { generation } = entry;
      const reason = reasonOf(error);
      if (!signal.aborted) logger.debug({ ...factsOf(record), generation, reason }, "A notification failed");
      return { result: "retry", reason };
    }
  }

  async #request(
    record: PushRecord,
    { event, generation }: StoredEntry,
    { trace, signal, addresses }: Attempt,
  ): Promise<GuardedAnswer> {
    const { guard, clock, logger, credentials, signer, taskOf } = this.#options;
    const { mediaType, needsTask, encode, credentialHeader } = this.#codec(record).notification;
    const body = bodyOf(encode(tag(event, generation), needsTask ? await taskOf(record) : undefined));
    const notification = { record, generation, body, mediaType, trace, credentialHeader };
    const sources = { credentials, signer, logger, now: () => clock.now() };
    const headers = () => notificationHeaders(notification, sources);
    // The deadline of the attempt already bounds the request.
    const timeout = Number.POSITIVE_INFINITY;
    return guard.request(record.config.url, {
      ...{ method: "POST", headers: await headers(), signal, timeout, addresses },
      // Receivers may refuse a second use of one signature.
      ...(signer && { resendHeaders: headers }),
      body,
    });
  }

  /** The codec of the version in which the webhook was registered, or the first one when that version is no longer served. */
  #codec({ version }: PushRecord): Codec {
    const { codecs } = this.#options;
    const [first] = codecs.values();
    const codec = codecOfCall(versionName(version), codecs) ?? first;
    if (codec === undefined) throw new TypeError("No protocol version is served");
    return codec;
  }
}

/** The body of a request. A large string would stay on the heap until it has been sent. The memory of a buffer is outside the heap. */
function bodyOf(text: string): string | Uint8Array {
  return text.length > SMALL_BYTES ? encoder.encode(text) : text;
}

/** Why a webhook could not be called. Only UrlRefused and HookFailed give their message: other messages may contain the address (§13.2). */
function reasonOf(error: unknown): string {
  if (error instanceof UrlRefused) return `The URL of the webhook ${error.message}`;
  if (error instanceof HookFailed) return error.message;
  if (!(error instanceof Error)) return "The webhook could not be called";
  // The code of a DOMException is a number.
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return `The webhook could not be called (${code})`;
}
