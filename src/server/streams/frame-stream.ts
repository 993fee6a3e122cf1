import { runtime } from "#runtime";
import type { Logger } from "../../protocol/logger.js";
import type { ArrivalListener } from "../../task-log/log-feed.js";
import { keepAlive } from "../bindings/frames.js";
import type { ReadAhead, StreamReply } from "../host.js";
import type { OutgoingAnswer } from "../outgoing/outgoing-answer.js";
import type { OpenStream, OpenStreams } from "./open-streams.js";
import type { CoalescedStream } from "./write-coalescer.js";

/** The objects that a {@link FrameStream} uses. */
export interface FrameStreamParts {
  readonly answer: OutgoingAnswer;
  readonly reply: StreamReply;
  /** Tells the producer of the frames that they are no longer read. */
  readonly abort: () => void;
  readonly streams: OpenStreams;
  readonly logger: Logger;
}

/** Number of characters from which frames are written without waiting for further frames. */
const ENOUGH = 32 * 1024;

/**
 * Writes the frames of a stream to its reader. Frames that are available at the same time are written together, see
 * {@link WriteCoalescer}. Each host extends this class with the calls that write in its runtime. While the host's buffer is full, no frame
 * is requested, so a slow reader costs its position in the log and one frame. No listener, timer or frame remains after the stream has
 * ended, whether its frames ended, its reader left or the server stopped.
 */
export abstract class FrameStream<Parts extends FrameStreamParts = FrameStreamParts>
  implements OpenStream, CoalescedStream, ArrivalListener
{
  writtenAt = Number.NEGATIVE_INFINITY;
  link: OpenStream["link"] = undefined;
  protected readonly parts: Parts;
  readonly #frames: AsyncIterator<string> & ReadAhead<string>;
  /** The body has ended, or its frames are no longer read. */
  protected over = false;
  /** Periods without a frame. */
  protected silence = 0;
  /** Frames that have not been written yet. */
  #text = "";
  /** A frame was requested and has not arrived. */
  #isAsking = false;
  /** The source has notified the stream of a frame that is not taken yet. */
  #hasArrived = false;
  /** The coalescer will flush the stream. */
  #isScheduled = false;
  /** The host's buffer is full: no frame is requested until the host calls {@link proceed}. */
  #isPaused = false;
  /** There are no further frames. */
  #isLast = false;

  constructor(parts: Parts) {
    this.parts = parts;
    this.#frames = parts.reply.frames[Symbol.asyncIterator]();
  }

  /** Whether the reader has not yet taken what was written last. */
  protected abstract get isStuck(): boolean;

  /** Whether the host's buffer is full. The host calls {@link proceed} when it no longer is. */
  protected abstract get isFull(): boolean;

  /** Writes one or more frames. */
  protected abstract write(text: string): void;

  /** Called when no frame is requested because the host's buffer is full. */
  protected abstract paused(): void;

  /** Writes the last frames and ends the body. */
  protected abstract end(text: string): void;

  /** Writes a comment, unless the body has ended. */
  protected abstract comment(text: string): void;

  /** Breaks off the body. */
  protected abstract cut(): void;

  /** Ends the body cleanly, without a further event. */
  abstract stop(): void;

  /**
   * Writes a comment that keeps the connection open, unless a frame came in the last period or what was written is not taken yet. After
   * `maxSilence` periods without a frame it ends the stream, or breaks it off if its reader takes nothing.
   */
  beat(maxSilence: number): void {
    const { isStuck } = this;
    if (this.silence >= maxSilence && isStuck) this.cut();
    else if (this.silence >= maxSilence) this.stop();
    else if (this.silence > 0 && !isStuck && !this.over) this.comment(keepAlive);
    this.silence += 1;
  }

  /** Takes the frames that are available and requests the next one, unless the host's buffer is full. */
  resume(): void {
    this.#hasArrived = false;
    if (this.#isAsking) return;
    while (!this.over && !this.isFull) {
      this.parts.answer.sent();
      const frame = this.#frames.ready?.();
      if (frame === undefined) {
        this.#ask();
        return;
      }
      if (!this.#add(frame)) return;
    }
    if (!this.over) this.#pause();
  }

  /** A frame has arrived, or the end. It is taken when the stream is flushed. */
  arrived(isLast: boolean): void {
    this.#hasArrived = true;
    // The end of a stream is written without waiting for other frames.
    if (!this.over && (isLast || !this.#isScheduled)) this.#schedule(isLast);
  }

  /** Writes the frames that are available, unless the host's buffer is full. */
  flush(): boolean {
    if (this.#hasArrived && !this.over) this.resume();
    this.#isScheduled = false;
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

  /** Called when the host's buffer is no longer full. */
  protected proceed(): void {
    if (!this.#isPaused || this.over) return;
    this.#isPaused = false;
    this.flush();
    if (this.#isLast) this.#finish();
    else this.resume();
  }

  /** Releases the producer of the frames. It may be busy, so it is told but not awaited. */
  protected release(): void {
    if (this.over) return;
    this.over = true;
    this.#text = "";
    this.parts.abort();
    this.#leave();
  }

  #leave(): void {
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

  /** Requests a frame that is not available yet. */
  #ask(): void {
    if (this.#frames.isOver) {
      this.#leave();
      this.#finish();
    } else if (!this.#frames.listen?.(this)) {
      this.#isAsking = true;
      this.#frames.next().then(this.#took, this.#broke);
    }
  }

  /** @returns whether the next frame may be requested now */
  #add(frame: string): boolean {
    this.silence = 0;
    this.#text += frame;
    if (this.#text.length >= ENOUGH) {
      if (!this.isFull) this.writeRest();
    } else if (!this.#isScheduled && this.#schedule(false) && this.parts.reply.frames.isKept) return false;
    return true;
  }

  /** @returns whether the stream waits for further frames before it is written to */
  #schedule(isLast: boolean): boolean {
    const { coalescer } = this.parts.streams;
    this.#isScheduled = true;
    if (!isLast && coalescer.hold(this)) return true;
    coalescer.add(this);
    return false;
  }

  /** Ends the body after the host has taken all frames. */
  #finish(): void {
    this.#isLast = true;
    if (this.#text.length >= ENOUGH && !this.isFull) this.writeRest();
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
    // The frames that were just written are sent at the end of the tick.
    runtime.afterTick(() => this.cut());
  };
}
