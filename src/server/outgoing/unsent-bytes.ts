import { KeyedCounter } from "../../collections/keyed-counter.js";
import type { Complete } from "../../json/omit.js";
import { A2AError, RETRY_SECONDS } from "../../protocol/errors.js";
import type { AnswerConnection } from "../host.js";
import type { Limits } from "../limits.js";

/** The response to one request, with its number of unsent bytes. */
export interface Recipient {
  /** Key of the caller. */
  readonly caller: string;
  /** The connection of the response. */
  readonly connection: AnswerConnection;
  /** Bytes that are counted as unsent. Only {@link UnsentBytes} changes it. */
  unsent: number;
}

/** Counts the unsent bytes of responses, for each caller and in total. When a connection closes, its bytes are no longer counted. */
export class UnsentBytes {
  readonly #bounds: Pick<Complete<Limits>, "unsent" | "unsentPerPrincipal">;
  readonly #callers = new KeyedCounter();
  /** Recipients whose connections have a listener. */
  readonly #known = new WeakSet<Recipient>();
  readonly #fewer: () => void;

  /** @param fewer called when bytes were sent or dropped */
  constructor(bounds: Pick<Complete<Limits>, "unsent" | "unsentPerPrincipal">, fewer: () => void) {
    this.#bounds = bounds;
    this.#fewer = fewer;
  }

  get total(): number {
    return this.#callers.total;
  }

  /** Sets the number of unsent bytes of a recipient. */
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

  /** Whether the next response of a caller may be written: the bytes of the caller and the total are below their limits. */
  hasRoom(caller: string): boolean {
    return this.fault(caller, 1) === undefined;
  }

  /**
   * The error with which a response is refused.
   * @param share multiple of the limit of a caller that applies. The limit of all callers is raised by as many bytes
   * @returns undefined if the response may be written
   */
  fault(caller: string, share: number): A2AError | undefined {
    const { unsent: all, unsentPerPrincipal: each } = this.#bounds;
    const retry = { retryAfter: RETRY_SECONDS };
    if (this.#callers.of(caller) >= each * share) {
      const held = `${each * share} bytes of responses to this caller are unread, the maximum`;
      return new A2AError("RATE_LIMITED", `${held}: read them, or close their connections`, retry);
    }
    if (this.total < all + each * (share - 1)) return undefined;
    return new A2AError("UNAVAILABLE", "Too many bytes of responses are unread", retry);
  }
}
