import type { Logger } from "../logger.js";
import type { StreamResponse } from "../model.js";
import type { Clock } from "../stores/clock.js";
import type { PushRecord } from "../stores/push-store.js";
import type { Codec } from "../wire/codec.js";
import type { UrlGuard } from "./guard/url-guard.js";
import type { PushOptions } from "./options.js";
import { factsOf, headersFor } from "./request-headers.js";
import { judge, readRetryAfter, type Verdict } from "./retry.js";
import type { Signer } from "./signer.js";

/** What came of one attempt. */
export interface Outcome {
  readonly verdict: Verdict;
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
  readonly credentials?: PushOptions["credentials"];
  readonly signer?: Signer | undefined;
  /** Milliseconds for one request. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MEDIA_TYPE = "application/a2a+json";

/** Makes one attempt to bring one event to one webhook (PUSH-01). */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Never rejects: a failure of any kind is an outcome. */
  async send(
    record: PushRecord,
    event: StreamResponse,
    generation: number,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { guard, clock, logger, timeout, credentials, signer } = this.#options;
    try {
      const body = this.#codec(record).encodeEvent(event);
      const notification = { record, generation, body, mediaType: MEDIA_TYPE };
      const headers = await headersFor(notification, { credentials, signer, logger, now: clock.now });
      const answer = await guard.request(record.config.url, {
        method: "POST",
        headers,
        body,
        signal,
        timeout,
      });
      const retryAfter = readRetryAfter(answer.headers["retry-after"], clock.now());
      const reason = `The webhook answered ${answer.status}`;
      return { verdict: judge(answer.status), reason, retryAfter };
    } catch (error) {
      if (!signal.aborted) logger.debug({ err: error, ...factsOf(record) }, "A notification failed");
      return { verdict: "retry", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The version in which the webhook was set up, or the preferred one when that is no longer served (PUSH-19). */
  #codec({ version }: PushRecord): Codec {
    const [preferred] = this.#options.codecs.values();
    const codec = this.#options.codecs.get(version) ?? preferred;
    if (codec === undefined) throw new TypeError("No protocol version is served");
    return codec;
  }
}
