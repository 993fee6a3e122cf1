import { nextTick } from "node:process";
import type { Logger } from "../../protocol/logger.js";
import { keepAlive } from "../bindings/frames.js";
import type { StreamReply } from "../host.js";
import type { OpenStream, OpenStreams } from "./open-streams.js";
import type { OutgoingAnswer } from "./outgoing-answer.js";
import { SLICE, slicesOf } from "./slices.js";

/** What an event stream is made of. */
export interface EventStreamParts {
  readonly answer: OutgoingAnswer;
  readonly reply: StreamReply;
  /** Tells the producer of the frames that they are read no more. */
  readonly abort: () => void;
  readonly streams: OpenStreams;
  readonly logger: Logger;
}

/** Characters of frames that are joined at most, the last one left out. */
const JOINED = 32 * 1024;

/**
 * Writes the frames of a stream to a connection. Those that are there at once go out as one write, and a large one in slices; the
 * next is asked for when the connection has taken the last, so a slow reader costs its place in the log and no queue. Whatever
 * ends it first, the end of the frames, the reader or a shutdown, nothing stays behind: no listener, no timer, no frame.
 */
export class EventStream implements OpenStream {
  readonly #parts: EventStreamParts;
  readonly #frames: AsyncIterator<string>;
  readonly #finished: Promise<void>;
  #finish: () => void = () => undefined;
  /** Wakes the writer when the connection can take more, or is gone. */
  #wake: (() => void) | undefined;
  /** What is left of a large frame. */
  #slices: Generator<Buffer> | undefined;
  #over = false;
  /** Frames that are not written yet: for no longer than anyone can go on without waiting. */
  #text = "";
  /** Periods in which nothing was written. */
  #silence = 0;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#frames = parts.reply.frames[Symbol.asyncIterator]();
    this.#finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /**
   * Sends the headers at once, then the frames as they come.
   * @throws Error of Node for a header that cannot be sent; nothing has been sent then
   * @returns once the body has ended or the connection is gone, also when the producer of frames hangs
   */
  run(): Promise<void> {
    const { answer, reply, streams } = this.#parts;
    const { res } = answer;
    if (res.closed || res.destroyed) {
      this.#close();
      return this.#finished;
    }
    this.#begin(reply);
    res.on("close", this.#close);
    res.on("drain", this.#drained);
    streams.add(this);
    void this.#write();
    return this.#finished;
  }

  /**
   * Says that the stream still lives, unless something was written since the last time or is on its way. Ends it when there was
   * nothing to say for too long, or nobody takes what there is.
   */
  beat(patience: number): void {
    const { res } = this.#parts.answer;
    const isStuck = res.writableLength > 0;
    if (this.#silence >= patience && isStuck) res.destroy();
    else if (this.#silence >= patience) this.stop();
    else if (this.#silence > 0 && !isStuck && !this.#over && !res.writableEnded) res.write(keepAlive);
    this.#silence += 1;
  }

  /** Ends the body in good order, without an event that did not happen, and then the connection. */
  stop(): void {
    const { res } = this.#parts.answer;
    const { socket } = res;
    this.#flush();
    // A frame that has begun is not cut off.
    for (const slice of this.#slices ?? []) res.write(slice);
    this.#release();
    if (!res.writableEnded) res.end(() => socket?.end());
  }

  #begin(reply: StreamReply): void {
    const { res } = this.#parts.answer;
    try {
      res.writeHead(reply.status, reply.headers);
      res.flushHeaders();
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async #write(): Promise<void> {
    const { answer, logger } = this.#parts;
    const { res } = answer;
    try {
      for (;;) {
        const { done, value } = await this.#frames.next();
        if (this.#over) return;
        if (done) break;
        this.#silence = 0;
        // Ended and not awaited: a function that waits would keep the frame.
        if (value.length > SLICE) return this.#writeLarge(value);
        if (this.#text === "") nextTick(this.#flush);
        this.#text += value;
        if (this.#text.length >= JOINED) this.#flush();
        if (res.writableNeedDrain) await this.#room();
        if (this.#over) return;
        answer.sent();
      }
      this.#flush();
      this.#over = true;
      res.end();
    } catch (err) {
      if (this.#over) return;
      logger.error({ err }, "A stream broke off");
      res.destroy();
    }
  }

  #writeLarge(frame: string): void {
    this.#flush();
    const bytes = Buffer.from(frame);
    this.#parts.answer.wrote(bytes.length);
    this.#slices = slicesOf(bytes);
    this.#writeSlices();
  }

  /** Writes slices as long as the connection takes them, then goes on with the next frame. */
  readonly #writeSlices = (): void => {
    const { answer } = this.#parts;
    while (!this.#over) {
      if (answer.res.writableNeedDrain) {
        this.#wake = this.#writeSlices;
        return;
      }
      const slice = this.#slices?.next();
      if (slice?.value === undefined) {
        this.#slices = undefined;
        answer.sent();
        void this.#write();
        return;
      }
      answer.res.write(slice.value);
    }
  };

  readonly #flush = (): void => {
    const text = this.#text;
    this.#text = "";
    if (text !== "" && !this.#over) this.#parts.answer.res.write(text);
  };

  #room(): Promise<void> {
    const { answer } = this.#parts;
    answer.wrote(answer.res.writableLength);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly #drained = (): void => {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  };

  readonly #close = (): void => {
    const { answer, streams } = this.#parts;
    const { res } = answer;
    res.off("close", this.#close);
    res.off("drain", this.#drained);
    streams.delete(this);
    this.#release();
    this.#finish();
  };

  /** Lets go of the producer. It may be in the middle of something: it is told, not waited for. */
  #release(): void {
    if (this.#over) return;
    this.#over = true;
    this.#parts.abort();
    this.#drained();
    this.#frames
      .return?.()
      .catch((err: unknown) => this.#parts.logger.debug({ err }, "A stream did not end cleanly"));
  }
}
