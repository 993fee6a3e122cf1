import type { AgentGuard } from "./agent-guard.js";
import type { FetchHead } from "./api.js";
import type { OpenPage } from "./open-page.js";

/** A call that a page has asked for. */
export interface PageCall {
  readonly head: FetchHead;
  readonly body: Uint8Array;
  /** Largest answer in bytes. */
  readonly maxBytes: number;
  /** Aborts when the page ends the call, or is closed. */
  readonly signal: AbortSignal;
  readonly page: OpenPage;
  readonly guard: AgentGuard;
}

/** Milliseconds since a call was sent. */
export type Elapsed = () => number;

/** An answer is longer than the page takes. */
export class AnswerTooLarge extends Error {}

interface Passing extends Pick<PageCall, "maxBytes" | "page"> {
  readonly id: number;
  readonly clock: Elapsed;
}

/**
 * Passes the body of an answer on, as fast as the page takes it.
 * @returns its length in bytes
 */
export async function passOn(
  answer: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { id, maxBytes, page, clock }: Passing,
): Promise<number> {
  let size = 0;
  // Leaving the loop destroys the answer.
  for await (const bytes of answer) {
    size += bytes.length;
    if (size > maxBytes) throw new AnswerTooLarge(`The answer is longer than ${maxBytes} bytes`);
    await page.sendPiece({ id, time: clock(), bytes });
  }
  return size;
}
