import type { CallContext } from "../../protocol/call-context.js";
import type { AnswerConnection, AnswerRoom } from "../host.js";
import { callerKey } from "../quota.js";
import type { Outgoing } from "./outgoing.js";
import type { Recipient } from "./unsent-bytes.js";

/**
 * Bytes that are handed to a connection at a time. The system takes a slice as a whole: a reader makes visible progress with each
 * one that has left.
 */
export const SLICE = 128 * 1024;

/** The slices of some bytes. They are not copied. */
export function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE);
}

/** The answer to one request on its way out. */
export class OutgoingAnswer implements AnswerRoom, Recipient {
  readonly connection: AnswerConnection;
  unsent = 0;
  readonly #outgoing: Outgoing;
  readonly #request: Pick<CallContext, "principal" | "address">;
  #caller: string | undefined;

  constructor(
    outgoing: Outgoing,
    request: Pick<CallContext, "principal" | "address">,
    connection: AnswerConnection,
  ) {
    this.connection = connection;
    this.#outgoing = outgoing;
    this.#request = request;
  }

  /** Found out when it is first needed: then the caller is known, and most answers never need it. */
  get caller(): string {
    this.#caller ??= callerKey(this.#request);
    return this.#caller;
  }

  turn(): Promise<void> | undefined {
    return this.#outgoing.turn(this);
  }

  enter(answer: unknown, repeatable: boolean): Promise<void> | undefined {
    return this.#outgoing.enter(this, answer, repeatable);
  }

  next(event: unknown): Promise<void> | undefined {
    return this.#outgoing.next(this, event);
  }

  goOn(bytes: number): Promise<void> {
    return this.#outgoing.goOn(this, bytes);
  }

  wrote(length: number): void {
    this.#outgoing.wrote(this, length);
  }

  /** The connection has taken all that was written. */
  sent(): void {
    this.#outgoing.sent(this);
  }
}
