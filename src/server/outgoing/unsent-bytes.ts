import { KeyedCounter } from "../../collections/keyed-counter.js";
import type { Complete } from "../../json/omit.js";
import { A2AError, RETRY_SECONDS } from "../../protocol/errors.js";
import type { AnswerConnection } from "../host.js";
import type { Limits } from "../limits.js";

/** The answer to one request, and how much of it waits to be sent. */
export interface Recipient {
  /** Tells callers apart. */
  readonly caller: string;
  /** The connection that the answer leaves on. */
  readonly connection: AnswerConnection;
  /** Bytes that are counted for it. Only {@link UnsentBytes} changes it. */
  unsent: number;
}

/** Bytes of answers that wait to be sent, for each caller and in all. Those of a connection that goes away are not counted any more. */
export class UnsentBytes {
  readonly #bounds: Pick<Complete<Limits>, "unsent" | "unsentPerPrincipal">;
  readonly #callers = new KeyedCounter();
  /** Recipients whose connections are listened to. */
  readonly #known = new WeakSet<Recipient>();
  readonly #fewer: () => void;

  /** @param fewer told when there are fewer */
  constructor(bounds: Pick<Complete<Limits>, "unsent" | "unsentPerPrincipal">, fewer: () => void) {
    this.#bounds = bounds;
    this.#fewer = fewer;
  }

  get total(): number {
    return this.#callers.total;
  }

  /** Counts so many bytes for a recipient from now on, instead of those before. */
  set(to: Recipient, bytes: number): void {
    const { caller, connection } = to;
    const more = bytes - to.unsent;
    if (more === 0 || (more > 0 && connection.closed)) return;
    if (!this.#known.has(to)) {
      this.#known.add(to);
      connection.once("close", () => this.set(to, 0));
    }
    this.#callers.add(caller, more);
    to.unsent = bytes;
    if (more < 0) this.#fewer();
  }

  /** Whether a caller's next answer may be written: what it has is below its bound, and the whole is below the other. */
  hasRoom(caller: string): boolean {
    return this.fault(caller, 1) === undefined;
  }

  /**
   * What an answer is refused with.
   * @param share times its bound that a caller may have
   * @returns undefined when there is room for the answer
   */
  fault(caller: string, share: number): A2AError | undefined {
    const { unsent: all, unsentPerPrincipal: each } = this.#bounds;
    const retry = { retryAfter: RETRY_SECONDS };
    if (this.#callers.of(caller) >= each * share) {
      const held = `${each * share} bytes of answers for this caller are unread, as many as may be`;
      return new A2AError("RATE_LIMITED", `${held}: read them, or close their connections`, retry);
    }
    if (this.total < all + each * (share - 1)) return undefined;
    return new A2AError("UNAVAILABLE", "Too many bytes of answers are unread", retry);
  }
}
