import { KeyedCounter } from "../collections/keyed-counter.js";
import type { MessageHold, MessageLimiter } from "../engine/engine-options.js";
import type { Complete } from "../json/omit.js";
import type { CallContext } from "../protocol/call-context.js";
import { A2AError, invalidParams, RETRY_SECONDS } from "../protocol/errors.js";
import type { Limits } from "./limits.js";
import { callerKey } from "./quota.js";

type MessageLimits = Pick<Complete<Limits>, "messages" | "messagesPerPrincipal">;
type Part = Parameters<MessageHold["set"]>[0];

/**
 * Counts the bytes of messages that executors work on or that wait for one, with the tasks that they continue and refer to. A message is
 * refused once a limit is reached. The limit can be exceeded by one message of any size, by messages from logs, and by tasks that grow
 * while executors work on them.
 */
export class MessageBytes implements MessageLimiter {
  readonly #limits: MessageLimits;
  readonly #callers = new KeyedCounter();

  constructor(limits: MessageLimits) {
    this.#limits = limits;
  }

  /** Bytes of all counted messages. */
  get size(): number {
    return this.#callers.total;
  }

  hold(call: CallContext): MessageHold {
    return new Hold(this.#limits, this.#callers, call);
  }
}

/** The counted bytes of one message. */
class Hold implements MessageHold {
  readonly #limits: MessageLimits;
  readonly #callers: KeyedCounter;
  readonly #call: CallContext;
  readonly #parts: Record<Part, number> = { message: 0, references: 0, task: 0 };
  /** The key of the caller; undefined while nothing is counted. */
  #key: string | undefined;
  #bytes = 0;
  #holders = 1;

  constructor(limits: MessageLimits, callers: KeyedCounter, call: CallContext) {
    this.#limits = limits;
    this.#callers = callers;
    this.#call = call;
  }

  set(part: Part, bytes: number, mayRefuse = true): void {
    const more = bytes - this.#parts[part];
    if (more === 0 || this.#holders === 0) return;
    this.#key ??= callerKey(this.#call);
    if (more > 0 && mayRefuse) this.#checkRoom(this.#key, part);
    this.#parts[part] = bytes;
    this.#bytes += more;
    this.#callers.add(this.#key, more);
  }

  retain(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders > 0 || this.#key === undefined) return;
    this.#callers.add(this.#key, -this.#bytes);
    this.#key = undefined;
  }

  /** @throws A2AError INVALID_PARAMS, RATE_LIMITED, UNAVAILABLE */
  #checkRoom(key: string, part: Part): void {
    const { messages: total, messagesPerPrincipal: each } = this.#limits;
    if (part === "references" && this.#bytes >= each) {
      throw invalidParams(
        "message.referenceTaskIds",
        `must refer to tasks of at most ${each} bytes together`,
      );
    }
    const retry = { retryAfter: RETRY_SECONDS };
    if (this.#callers.of(key) >= each) {
      const held = `Messages of this caller that are in progress have reached the limit of ${each} bytes`;
      throw new A2AError("RATE_LIMITED", held, retry);
    }
    if (this.#callers.total >= total) {
      throw new A2AError(
        "UNAVAILABLE",
        `Messages that are in progress have reached the limit of ${total} bytes`,
        retry,
      );
    }
  }
}
