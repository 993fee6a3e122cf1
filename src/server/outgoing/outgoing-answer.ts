import type { CallContext } from "../../protocol/call-context.js";
import type { AnswerConnection, AnswerRoom } from "../host.js";
import { callerKey } from "../quota.js";
import type { Outgoing } from "./outgoing.js";
import type { Recipient } from "./unsent-bytes.js";

/**
 * Maximum number of bytes that are written to a connection at a time. Progress of a reader is visible when a whole slice was sent.
 */
export const SLICE = 128 * 1024;

/** Yields slices of bytes, without copying them. */
export function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE);
}

/** The response to one request, with its unsent bytes. */
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

  /** The key of the caller. It is computed on first use: then the caller is known, and most responses never need it. */
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

  /** Called when the connection has accepted all written bytes. */
  sent(): void {
    this.#outgoing.sent(this);
  }
}
