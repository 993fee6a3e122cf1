import { runtime } from "#runtime";
import type { Logger } from "../../protocol/logger.js";
import { keepAlive } from "../bindings/frames.js";
import type { ReadAhead, StreamReply } from "../host.js";
import type { OutgoingAnswer } from "../outgoing/outgoing-answer.js";
import type { OpenStream, OpenStreams } from "./open-streams.js";
import type { CoalescedStream } from "./write-coalescer.js";

/** What a stream of frames is made of. */
export interface FrameStreamParts {
  readonly answer: OutgoingAnswer;
  readonly reply: StreamReply;
  /** Tells the producer of the frames that they are read no more. */
  readonly abort: () => void;
  readonly streams: OpenStreams;
  readonly logger: Logger;
}

/** From so many characters on the frames of a stream are written without waiting for others. */
const ENOUGH = 32 * 1024;

/**
 * The frames of an answer on their way to its reader. Frames that are there at once are written together, see {@link WriteCoalescer}.
 * Each host extends the class by how its runtime writes. While the host is full no frame is asked for, so a slow reader costs its place
 * in the log and one frame. Whatever ends the stream first, the end of the frames, the reader or a shutdown, no listener, timer or
 * frame is left.
 */
export abstract class FrameStream<Parts extends FrameStreamParts = FrameStreamParts>
  implements OpenStream, CoalescedStream
{
  writtenAt = Number.NEGATIVE_INFINITY;
  protected readonly parts: Parts;
  readonly #frames: AsyncIterator<string> & ReadAhead<string>;
  /** The body has ended, or its frames are read no more. */
  protected over = false;
  /** Periods in which nothing was written. */
  protected silence = 0;
  /** Frames that are not written yet. */
  #text = "";
  /** A frame was asked for and has not come. */
  #isAsking = false;
  /** The host is full: nothing is asked for until it calls {@link proceed}. */
  #isPaused = false;
  /** There are no further frames. */
  #isLast = false;

  constructor(parts: Parts) {
    this.parts = parts;
    this.#frames = parts.reply.frames[Symbol.asyncIterator]();
  }

  /** Whether the reader has not yet taken what was written last. */
  protected abstract get isStuck(): boolean;

  /** Whether the host can take nothing now. It calls {@link proceed} when it can. */
  protected abstract get isFull(): boolean;

  /** Writes one or more frames. */
  protected abstract write(text: string): void;

  /** Called when no frame is asked for because the host is full. */
  protected abstract paused(): void;

  /** Writes the last frames and ends the body. */
  protected abstract end(text: string): void;

  /** Writes a comment, unless the body has ended. */
  protected abstract comment(text: string): void;

  /** Breaks the body off. */
  protected abstract cut(): void;

  /** Ends the body in good order, without an event that did not happen. */
  abstract stop(): void;

  /**
   * Says that the stream still lives, unless something was written since the last time or is on its way. Ends it when there was
   * nothing to say for too long, or when its reader takes nothing.
   */
  beat(patience: number): void {
    const { isStuck } = this;
    if (this.silence >= patience && isStuck) this.cut();
    else if (this.silence >= patience) this.stop();
    else if (this.silence > 0 && !isStuck && !this.over) this.comment(keepAlive);
    this.silence += 1;
  }

  /** Takes the frames that are there and asks for the next one, unless the host is full. */
  resume(): void {
    if (this.#isAsking) return;
    while (!this.over && !this.isFull) {
      this.parts.answer.sent();
      const frame = this.#frames.ready?.();
      if (frame === undefined) {
        this.#isAsking = true;
        this.#frames.next().then(this.#took, this.#broke);
        return;
      }
      if (!this.#add(frame)) return;
    }
    if (!this.over) this.#pause();
  }

  /** Writes the frames that have been read, unless the host is full. */
  flush(): boolean {
    if (this.#text === "" || this.over || this.isFull) return false;
    this.writeRest();
    return true;
  }

  /** Writes the frames that have been read. */
  protected writeRest(): void {
    const text = this.#text;
    this.#text = "";
    if (text !== "") this.write(text);
  }

  /** The host can take frames again. */
  protected proceed(): void {
    if (!this.#isPaused || this.over) return;
    this.#isPaused = false;
    this.flush();
    if (this.#isLast) this.#finish();
    else this.resume();
  }

  /** Lets go of the producer. It may be in the middle of something: it is told, not waited for. */
  protected release(): void {
    if (this.over) return;
    this.over = true;
    this.#text = "";
    this.parts.abort();
    this.#frames
      .return?.()
      .catch((err: unknown) => this.parts.logger.debug({ err }, "A stream did not end cleanly"));
  }

  readonly #took = ({ done, value }: IteratorResult<string, unknown>): void => {
    this.#isAsking = false;
    if (this.over) return;
    if (done) this.#finish();
    else if (this.#add(value)) this.resume();
  };

  /** @returns whether the next frame may be asked for now */
  #add(frame: string): boolean {
    this.silence = 0;
    this.#text += frame;
    const { reply, streams } = this.parts;
    if (this.#text.length >= ENOUGH) this.flush();
    else if (this.#text.length === frame.length) {
      if (!streams.coalescer.hold(this)) streams.coalescer.add(this);
      else if (reply.frames.isKept) return false;
    }
    return true;
  }

  /** Ends the body once the host has taken all frames. */
  #finish(): void {
    this.#isLast = true;
    if (this.#text.length >= ENOUGH) this.flush();
    if (this.isFull) this.#pause();
    else {
      const text = this.#text;
      this.#text = "";
      this.over = true;
      this.end(text);
    }
  }

  #pause(): void {
    this.#isPaused = true;
    this.paused();
  }

  readonly #broke = (err: unknown): void => {
    if (this.over) return;
    this.parts.logger.error({ err }, "A stream broke off");
    this.flush();
    // What was written leaves at the end of the tick.
    runtime.afterTick(() => this.cut());
  };
}
