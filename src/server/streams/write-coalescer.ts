import { runtime } from "#runtime";

/** A stream whose frames are joined before they are written. */
export interface CoalescedStream {
  /** When the stream was last written to, by `performance.now()`. Only the coalescer changes it. */
  writtenAt: number;
  /** Goes on reading frames, if it stopped for {@link WriteCoalescer.hold}. */
  resume(): void;
  /**
   * Writes the frames that have been read.
   * @returns whether there were any
   */
  flush(): boolean;
}

/** Milliseconds after a write in which the next frame waits for others, and the longest time that it waits. */
const HOLD = 1;

/** Number of streams that become ready between two looks at the clock. */
const LOOK_AFTER = 8;

/**
 * Joins the frames of a stream, because writing to a socket costs more than a frame. A stream that was not written to within the last
 * millisecond is written to at the end of the turn of the event loop, so that consecutive writes wake their reader once. In a turn that
 * lasts longer than a millisecond, for example when hundreds of timers fire, the streams that are ready are written to every millisecond.
 * A frame that comes within a millisecond of the last write waits for others, for a millisecond at most. A lone event therefore does not
 * wait for a timer, and a stream is written to about a thousand times a second at most.
 *
 * One timer and one turn serve all streams of a server. Neither is set while no frame waits.
 */
export class WriteCoalescer {
  /** Streams to write to at the end of the turn. */
  #ready: CoalescedStream[] = [];
  /** When the first of them was added, by `performance.now()`. */
  #readySince = 0;
  /** Streams that wait for further frames. */
  #held: CoalescedStream[] = [];
  #timer: { refresh?(): unknown } | undefined;

  /** Writes to a stream at the end of the turn, or after a millisecond in a longer turn. Streams are written to in the order of the calls. */
  add(stream: CoalescedStream): void {
    const count = this.#ready.push(stream);
    if (count === 1) {
      this.#readySince = performance.now();
      (runtime.afterTurn ?? runtime.afterTick)(this.#flush);
    } else if (count % LOOK_AFTER === 0 && performance.now() - this.#readySince >= HOLD) {
      // One flush is enough for the streams that are added until then.
      this.#readySince = Number.POSITIVE_INFINITY;
      runtime.afterTick(this.#flush);
    }
  }

  /**
   * Lets a stream wait for further frames if it was written to just now.
   * @returns false if it need not wait; otherwise the stream is resumed within a millisecond
   */
  hold(stream: CoalescedStream): boolean {
    if (performance.now() - stream.writtenAt >= HOLD) return false;
    if (this.#held.push(stream) > 1) return true;
    // A timer of Node can be set again; elsewhere each one is new.
    if (this.#timer?.refresh === undefined) this.#timer = setTimeout(this.#resume, HOLD);
    else this.#timer.refresh();
    return true;
  }

  readonly #flush = (): void => {
    const streams = this.#ready;
    this.#ready = [];
    const written = streams.filter((stream) => stream.flush());
    // Not taken for each stream: with many readers the writes of one tick last longer than a hold.
    const now = performance.now();
    for (const stream of written) stream.writtenAt = now;
  };

  readonly #resume = (): void => {
    const streams = this.#held;
    this.#held = [];
    for (const stream of streams) {
      stream.resume();
      this.#ready.push(stream);
    }
    // The frames that are there are read in microtasks. A tick that is set now would come before those.
    queueMicrotask(this.#flushNext);
  };

  readonly #flushNext = (): void => runtime.afterTick(this.#flush);
}
