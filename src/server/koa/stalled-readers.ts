import type { ServerResponse } from "node:http";
import { Ticker } from "./ticker.js";

/** How far a connection had taken its answer when it was looked at. */
interface Progress {
  readonly taken: number;
  /** Looks since then that have found nothing new. */
  idle: number;
}

/** Told of a connection whose reader takes nothing. */
export type Stalled = (res: ServerResponse, unsent: number) => void;

/** Looks in the time that a reader may take nothing. */
const LOOKS = 4;

/**
 * Finds readers that take nothing of what is there for them. A reader that takes one slice of 128 KiB in each `seconds`
 * is never found, however long the whole answer takes.
 */
export class StalledReaders {
  readonly #answers = new Map<ServerResponse, Progress | undefined>();
  readonly #stalled: Stalled;
  readonly #ticker: Ticker;

  /** @param seconds without progress after which a reader is found, and at most a quarter more */
  constructor(seconds: number, stalled: Stalled) {
    this.#stalled = stalled;
    this.#ticker = new Ticker((seconds * 1000) / LOOKS, () => this.#look());
  }

  /** Looks at an answer from now on. */
  add(res: ServerResponse): void {
    this.#answers.set(res, undefined);
    this.#ticker.start();
  }

  /** The answer has left, or cannot leave any more. */
  delete(res: ServerResponse): void {
    this.#answers.delete(res);
  }

  stop(): void {
    this.#ticker.stop();
  }

  #look(): boolean {
    for (const [res, before] of this.#answers) {
      const { socket, writableLength } = res;
      // Nothing waits, or the answer itself waits for another one on its connection.
      const isIdle = socket === null || writableLength === 0;
      const taken = isIdle ? -1 : socket.bytesWritten - socket.writableLength;
      if (isIdle || before?.taken !== taken) this.#answers.set(res, isIdle ? undefined : { taken, idle: 0 });
      else if (before.idle + 1 < LOOKS) before.idle += 1;
      else this.#stalled(res, writableLength);
    }
    return this.#answers.size > 0;
  }
}
