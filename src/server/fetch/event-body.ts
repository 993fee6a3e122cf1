import { SMALL } from "../outgoing/outgoing.js";
import { SLICE } from "../outgoing/outgoing-answer.js";
import { FrameStream, type FrameStreamParts } from "../streams/frame-stream.js";
import type { FetchConnection } from "./fetch-request.js";
import { PulledBody } from "./pulled-body.js";

/** Options of the body of an event stream. */
interface EventBodyParts extends FrameStreamParts {
  readonly connection: FetchConnection;
}

const encoder = new TextEncoder();

/**
 * The frames of a stream as the body of a response. Frames are written when the reader asks for more. A large frame leaves in slices, so
 * that a runtime that asks for one chunk in advance holds a slice and not a frame, and a slow reader is seen to make progress.
 */
export class EventBody extends FrameStream<EventBodyParts> {
  readonly pulled: PulledBody;
  #hasBegun = false;
  /** What is left of a large frame. */
  #rest: Uint8Array | undefined;
  /** The body ends after the rest. */
  #isEnding = false;

  constructor(parts: EventBodyParts) {
    super(parts);
    this.pulled = new PulledBody(() => this.#pull(), parts.connection);
    parts.streams.add(this);
    parts.connection.once("close", () => this.#close());
    if (parts.connection.closed) this.#close();
  }

  protected get isStuck(): boolean {
    return this.pulled.isStuck;
  }

  protected get isFull(): boolean {
    return this.#rest !== undefined || !this.pulled.isPulling;
  }

  protected paused(): void {
    // A chunk counts as unsent until the reader asks for more.
  }

  protected write(text: string): void {
    const bytes = encoder.encode(text);
    if (bytes.length <= SMALL) {
      this.pulled.push(bytes);
      return;
    }
    // It counts as unsent until the reader asks for more.
    this.parts.answer.wrote(bytes.length);
    this.#give(bytes);
  }

  protected end(text: string): void {
    if (text !== "") this.write(text);
    if (this.#rest === undefined) this.#end();
    else this.#isEnding = true;
  }

  protected comment(text: string): void {
    this.pulled.interject(encoder.encode(text));
  }

  protected cut(): void {
    this.parts.connection.close();
  }

  stop(): void {
    if (this.over) return;
    // A frame is not cut off after its first slice.
    this.#giveAll();
    this.writeRest();
    this.#giveAll();
    this.release();
    this.#end();
  }

  #giveAll(): void {
    if (this.#rest !== undefined) this.pulled.interject(this.#rest);
    this.#rest = undefined;
  }

  #give(bytes: Uint8Array): void {
    this.#rest = bytes.length > SLICE ? bytes.subarray(SLICE) : undefined;
    this.pulled.give(this.#rest === undefined ? bytes : bytes.subarray(0, SLICE));
  }

  #end(): void {
    this.pulled.end();
    this.parts.connection.finish();
  }

  #pull(): void {
    if (this.#rest !== undefined) {
      this.#give(this.#rest);
      if (this.#isEnding && this.#rest === undefined) this.#end();
      return;
    }
    this.parts.answer.sent();
    if (this.#hasBegun) this.proceed();
    else {
      this.#hasBegun = true;
      this.resume();
    }
  }

  #close(): void {
    this.parts.streams.delete(this);
    this.release();
  }
}
