import { Readable } from "node:stream";
import type { OutgoingAnswer } from "./outgoing-answer.js";
import { SLICE, slicesOf } from "./slices.js";

/**
 * A body that is made piece by piece. The next piece is asked for when the connection has taken the one before and there is room
 * for it. Small pieces leave together.
 */
export class PiecesBody extends Readable {
  readonly #pieces: AsyncIterator<string>;
  readonly #answer: OutgoingAnswer;
  /** What is left of a piece. */
  #slices: Iterator<Buffer> = [][Symbol.iterator]();
  /** Small pieces that have not left yet. */
  #text = "";
  #isComplete = false;

  constructor(pieces: AsyncIterable<string>, answer: OutgoingAnswer) {
    super({ highWaterMark: SLICE });
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#answer = answer;
  }

  override _read(): void {
    const { done, value } = this.#slices.next();
    if (!done) {
      this.push(value);
      return;
    }
    this.#answer.sent();
    if (this.#isComplete) this.push(null);
    else this.#begin();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    // It may be in the middle of a piece: it is told, not waited for.
    this.#pieces.return?.().catch(() => undefined);
    callback(error);
  }

  #begin(): void {
    const admitted = this.#answer.part();
    if (admitted === undefined) this.#ask();
    else admitted.then(this.#ask, this.#fail);
  }

  // With callbacks and not awaited: a function that waits would keep the piece that it got last.
  readonly #ask = (): void => {
    this.#pieces.next().then(this.#take, this.#fail);
  };

  readonly #take = ({ done = false, value }: IteratorResult<string>): void => {
    if (this.destroyed) return;
    this.#isComplete = done;
    if (!done) this.#text += value;
    this.#answer.wrote(this.#text.length);
    if (!done && this.#text.length < SLICE) {
      this.#ask();
      return;
    }
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    this.#answer.wrote(bytes.length);
    this.#slices = slicesOf(bytes);
    this._read();
  };

  readonly #fail = (error: Error): void => {
    this.destroy(error);
  };
}
