import { FrameStream, type FrameStreamParts } from "../streams/frame-stream.js";
import type { FetchConnection } from "./fetch-request.js";
import { PulledBody } from "./pulled-body.js";

/** What the body of an event stream is made of. */
interface EventBodyParts extends FrameStreamParts {
  readonly connection: FetchConnection;
}

const encoder = new TextEncoder();

/** The frames of a stream as the body of a response. The next frame is asked for when the reader asks for more. */
export class EventBody extends FrameStream<EventBodyParts> {
  readonly pulled: PulledBody;

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

  protected comment(text: string): void {
    this.pulled.interject(encoder.encode(text));
  }

  protected cut(): void {
    this.parts.connection.close();
  }

  stop(): void {
    if (this.over) return;
    this.release();
    this.#end();
  }

  async #pull(): Promise<void> {
    const { answer, logger } = this.parts;
    answer.sent();
    try {
      const { done, value } = await this.frames.next();
      if (this.over) return;
      if (done) {
        this.over = true;
        this.#end();
        return;
      }
      this.silence = 0;
      const bytes = encoder.encode(value);
      answer.wrote(bytes.length);
      this.pulled.give(bytes);
    } catch (err) {
      if (this.over) return;
      logger.error({ err }, "A stream broke off");
      this.cut();
    }
  }

  #end(): void {
    this.pulled.end();
    this.parts.connection.finish();
  }

  #close(): void {
    this.parts.streams.delete(this);
    this.release();
  }
}
