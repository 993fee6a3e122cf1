import type { Logger } from "../../protocol/logger.js";
import { keepAlive } from "../bindings/frames.js";
import type { StreamReply } from "../host.js";
import type { OutgoingAnswer } from "../outgoing/outgoing-answer.js";
import type { OpenStream, OpenStreams } from "./open-streams.js";

/** What a stream of frames is made of. */
export interface FrameStreamParts {
  readonly answer: OutgoingAnswer;
  readonly reply: StreamReply;
  /** Tells the producer of the frames that they are read no more. */
  readonly abort: () => void;
  readonly streams: OpenStreams;
  readonly logger: Logger;
}

/**
 * The frames of an answer on their way to its reader. Each host extends it by how its runtime writes: the next frame is asked for
 * when the last one has been taken. Whatever ends the stream first, the end of the frames, the reader or a shutdown, no
 * listener, timer or frame is left.
 */
export abstract class FrameStream<Parts extends FrameStreamParts = FrameStreamParts> implements OpenStream {
  protected readonly parts: Parts;
  protected readonly frames: AsyncIterator<string>;
  /** The frames have ended, or are read no more. */
  protected over = false;
  /** Periods in which nothing was written. */
  protected silence = 0;

  constructor(parts: Parts) {
    this.parts = parts;
    this.frames = parts.reply.frames[Symbol.asyncIterator]();
  }

  /** Whether the reader has not yet taken what was written last. */
  protected abstract get isStuck(): boolean;

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

  /** Lets go of the producer. It may be in the middle of something: it is told, not waited for. */
  protected release(): void {
    if (this.over) return;
    this.over = true;
    this.parts.abort();
    this.frames
      .return?.()
      .catch((err: unknown) => this.parts.logger.debug({ err }, "A stream did not end cleanly"));
  }
}
