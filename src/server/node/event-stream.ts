import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SLICE, slicesOf } from "../outgoing/outgoing-answer.js";
import { FrameStream, type FrameStreamParts } from "../streams/frame-stream.js";
import { textEncoding } from "./send.js";
import { chunkedConnection, writeChunk } from "./write-chunk.js";

/** The objects that an {@link EventStream} uses. */
interface EventStreamParts extends FrameStreamParts {
  readonly res: ServerResponse;
}

/** Writes the frames of a stream to a connection of Node. A large frame is written in slices when the connection accepts them. */
export class EventStream extends FrameStream<EventStreamParts> {
  /** Whether the headers have been written or flushed. */
  #hasBegun = false;
  /** The unwritten slices of a large frame. */
  #slices: Generator<Uint8Array> | undefined;
  /** The connection to which chunks are written; undefined if `res.write` writes them. */
  #connection: Socket | undefined;
  /** Whether there is a listener for the next `drain` of the connection. */
  #awaitsDrain = false;

  /**
   * Sends the headers with the first frame, or at the end of the turn if there is none, and then each frame when it arrives.
   * @throws Error of Node for a header that cannot be sent; nothing has been sent then
   */
  begin(): void {
    const { res, reply, streams } = this.parts;
    if (res.closed || res.destroyed) {
      this.#close();
      return;
    }
    try {
      res.writeHead(reply.status, reply.headers);
    } catch (error) {
      this.release();
      throw error;
    }
    res.on("close", this.#close);
    this.#connection = chunkedConnection(res);
    if (this.#connection === undefined) res.on("drain", this.#drained);
    streams.add(this);
    streams.coalescer.add(this);
    this.resume();
  }

  override flush(): boolean {
    const hasWritten = super.flush();
    if (!this.#hasBegun && !this.over) this.#sendHeaders();
    return hasWritten;
  }

  /** Ends the body cleanly, without a further event, and then the connection. */
  stop(): void {
    const { res } = this.parts;
    const { socket } = res;
    // Completes a frame of which some slices were written.
    this.#writeAllSlices();
    if (!this.over) this.writeRest();
    this.#writeAllSlices();
    this.release();
    if (res.writableEnded) return;
    // Not as the callback of `end`, which compression middleware does not accept.
    res.once("finish", () => socket?.end());
    res.end();
  }

  protected get isStuck(): boolean {
    return this.parts.res.writableLength > 0;
  }

  protected get isFull(): boolean {
    return this.#slices !== undefined || this.#needsDrain;
  }

  protected paused(): void {
    const { answer, res } = this.parts;
    this.#awaitDrain();
    if (this.#slices === undefined) answer.wrote(res.writableLength);
  }

  protected write(text: string): void {
    const { answer } = this.parts;
    if (text.length <= SLICE) this.#writeNow(text);
    else {
      const bytes = Buffer.from(text);
      answer.wrote(bytes.length);
      this.#slices = slicesOf(bytes);
      this.#writeSlices();
    }
  }

  protected end(text: string): void {
    this.parts.res.end(text);
  }

  protected comment(text: string): void {
    if (!this.parts.res.writableEnded) this.#writeNow(text);
  }

  protected cut(): void {
    this.parts.res.destroy();
  }

  /** Whether the connection accepts nothing until it emits `drain`. */
  get #needsDrain(): boolean {
    return (this.#connection ?? this.parts.res).writableNeedDrain;
  }

  /** Writes a text at once. Without corking, Node would do so in a later tick of each connection. */
  #writeNow(text: string): void {
    const { res } = this.parts;
    const connection = this.#connection;
    // A middleware may end the response. The connection then belongs to the next one.
    if (res.writableEnded) return;
    if (connection === undefined) {
      const { socket } = res;
      this.#hasBegun = true;
      socket?.cork();
      res.write(text, textEncoding(text));
      socket?.uncork();
    } else if (this.#hasBegun) {
      this.#written(writeChunk(connection, text));
    } else {
      connection.cork();
      this.#sendHeaders();
      this.#written(writeChunk(connection, text));
      connection.uncork();
    }
  }

  /** Writes slices of a large frame as long as the connection accepts them. */
  #writeSlices(): void {
    while (this.#slices !== undefined && !this.#needsDrain) {
      const { value } = this.#slices.next();
      if (value === undefined) this.#slices = undefined;
      else this.#writeSlice(value);
    }
  }

  #writeAllSlices(): void {
    for (const slice of this.#slices ?? []) this.#writeSlice(slice);
    this.#slices = undefined;
  }

  #writeSlice(slice: Uint8Array): void {
    const connection = this.#connection;
    if (this.parts.res.writableEnded) return;
    if (!this.#hasBegun) this.#sendHeaders();
    if (connection === undefined) this.parts.res.write(slice);
    else this.#written(writeChunk(connection, slice));
  }

  #sendHeaders(): void {
    this.#hasBegun = true;
    this.parts.res.flushHeaders();
  }

  #written(acceptsMore: boolean): void {
    if (!acceptsMore) this.#awaitDrain();
  }

  /** Listens for the next `drain` of the connection. Most streams never need the listener. */
  #awaitDrain(): void {
    if (this.#awaitsDrain || this.#connection === undefined) return;
    this.#awaitsDrain = true;
    this.#connection.once("drain", this.#drained);
  }

  readonly #drained = (): void => {
    this.#awaitsDrain = false;
    if (this.over) return;
    this.#writeSlices();
    if (!this.isFull) this.proceed();
  };

  readonly #close = (): void => {
    const { res, streams } = this.parts;
    res.off("close", this.#close);
    res.off("drain", this.#drained);
    if (this.#awaitsDrain) this.#connection?.off("drain", this.#drained);
    streams.delete(this);
    this.release();
  };
}
