import type { ServerResponse } from "node:http";
import { nextTick } from "node:process";
import type { StreamReply } from "../host.js";
import { SLICE, slicesOf } from "../outgoing/outgoing-answer.js";
import { FrameStream, type FrameStreamParts } from "../streams/frame-stream.js";

/** What an event stream is made of. */
interface EventStreamParts extends FrameStreamParts {
  readonly res: ServerResponse;
}

/** Characters of frames that are joined at most, the last one left out. */
const JOINED = 32 * 1024;

/**
 * Writes the frames of a stream to a connection of Node. Those that are there at once go out as one write, and a large one in slices;
 * the next is asked for when the connection has taken the last, so a slow reader costs its place in the log and no queue.
 */
export class EventStream extends FrameStream<EventStreamParts> {
  readonly #finished: Promise<void>;
  #finish: () => void = () => undefined;
  /** Wakes the writer when the connection can take more, or is gone. */
  #wake: (() => void) | undefined;
  /** What is left of a large frame. */
  #slices: Generator<Uint8Array> | undefined;
  /** Frames that are not written yet: for no longer than anyone can go on without waiting. */
  #text = "";

  constructor(parts: EventStreamParts) {
    super(parts);
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
    const { res, reply, streams } = this.parts;
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

  protected get isStuck(): boolean {
    return this.parts.res.writableLength > 0;
  }

  protected comment(text: string): void {
    const { res } = this.parts;
    if (!res.writableEnded) res.write(text);
  }

  protected cut(): void {
    this.parts.res.destroy();
  }

  /** Ends the body in good order, without an event that did not happen, and then the connection. */
  stop(): void {
    const { res } = this.parts;
    const { socket } = res;
    this.#flush();
    // A frame that has begun is not cut off.
    for (const slice of this.#slices ?? []) res.write(slice);
    this.release();
    if (!res.writableEnded) res.end(() => socket?.end());
  }

  #begin(reply: StreamReply): void {
    const { res } = this.parts;
    try {
      res.writeHead(reply.status, reply.headers);
      res.flushHeaders();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  async #write(): Promise<void> {
    const { answer, logger, res } = this.parts;
    try {
      for (;;) {
        const { done, value } = await this.frames.next();
        if (this.over) return;
        if (done) break;
        this.silence = 0;
        // Ended and not awaited: a function that waits would keep the frame.
        if (value.length > SLICE) return this.#writeLarge(value);
        if (this.#text === "") nextTick(this.#flush);
        this.#text += value;
        if (this.#text.length >= JOINED) this.#flush();
        if (res.writableNeedDrain) await this.#room();
        if (this.over) return;
        answer.sent();
      }
      this.#flush();
      this.over = true;
      res.end();
    } catch (err) {
      if (this.over) return;
      logger.error({ err }, "A stream broke off");
      res.destroy();
    }
  }

  #writeLarge(frame: string): void {
    this.#flush();
    const bytes = Buffer.from(frame);
    this.parts.answer.wrote(bytes.length);
    this.#slices = slicesOf(bytes);
    this.#writeSlices();
  }

  /** Writes slices as long as the connection takes them, then goes on with the next frame. */
  readonly #writeSlices = (): void => {
    const { answer, res } = this.parts;
    while (!this.over) {
      if (res.writableNeedDrain) {
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
      res.write(slice.value);
    }
  };

  readonly #flush = (): void => {
    const text = this.#text;
    this.#text = "";
    if (text !== "" && !this.over) this.parts.res.write(text);
  };

  #room(): Promise<void> {
    const { answer, res } = this.parts;
    answer.wrote(res.writableLength);
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
    const { res, streams } = this.parts;
    res.off("close", this.#close);
    res.off("drain", this.#drained);
    streams.delete(this);
    this.release();
    this.#finish();
  };

  protected override release(): void {
    if (this.over) return;
    super.release();
    this.#drained();
  }
}
