import { FrameStream, type FrameStreamParts } from "../streams/frame-stream.js";
import type { FetchConnection } from "./fetch-request.js";
import { PulledBody } from "./pulled-body.js";

/** What the body of an event stream is made of. */
interface EventBodyParts extends FrameStreamParts {
  readonly connection: FetchConnection;
}

const encoder = new TextEncoder();

/** The frames of a stream as the body of a response. Frames are written when the reader asks for more. */
export class EventBody extends FrameStream<EventBodyParts> {
  readonly pulled: PulledBody;
  #hasBegun = false;

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
    return !this.pulled.isPulling;
  }

  protected paused(): void {
    // What was given is counted until the reader asks for more.
  }

  protected write(text: string): void {
    const bytes = encoder.encode(text);
    this.parts.answer.wrote(bytes.length);
    this.pulled.give(bytes);
  }

  protected end(text: string): void {
    if (text !== "") this.write(text);
    this.pulled.end();
    this.parts.connection.finish();
  }

  protected comment(text: string): void {
    this.pulled.interject(encoder.encode(text));
  }

  protected cut(): void {
    this.parts.connection.close();
  }

  stop(): void {
    if (this.over) return;
    this.release();
    this.end("");
  }

  #pull(): void {
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
