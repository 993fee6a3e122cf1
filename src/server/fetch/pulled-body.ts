import type { OpenStream } from "../streams/open-streams.js";
import type { FetchConnection } from "./fetch-request.js";

/** A body that its reader pulls piece by piece: a reader that stops reading stops what makes the pieces. */
export class PulledBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** How often the reader has asked for more. */
  pulls = 0;
  /** The reader has asked for more, and has got nothing since. */
  isPulling = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /**
   * @param pull gives the next piece, or ends the body
   * @param connection closed when the reader leaves; when it is closed, the body breaks off
   */
  constructor(pull: () => void | Promise<void>, connection: FetchConnection) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.pulls += 1;
          this.isPulling = true;
          return pull();
        },
        cancel: () => connection.close(),
      },
      // Nothing is made ahead: the runtime has buffers of its own.
      { highWaterMark: 0 },
    );
    connection.once("close", () => this.#breakOff());
  }

  /** Whether the reader has not yet taken what it was given last. */
  get isStuck(): boolean {
    return !this.isPulling || (this.#controller?.desiredSize ?? 0) < 0;
  }

  /** Gives the reader a piece of the body. */
  give(bytes: Uint8Array): void {
    this.isPulling = false;
    this.#controller?.enqueue(bytes);
  }

  /** Gives the reader something between two pieces: what it has asked for is still to come. */
  interject(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes);
  }

  /** Ends the body in good order, once the reader has taken what is there. */
  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  /** Drops what was not taken. Does nothing to a body that has ended, or whose reader has left. */
  #breakOff(): void {
    this.#controller?.error(new Error("The connection was closed"));
    this.#controller = undefined;
  }
}

/** Finds out that the reader of a body takes nothing. */
export class ReaderWatch implements OpenStream {
  readonly #body: PulledBody;
  readonly #stalled: () => void;
  /** What the reader had asked for at the last look. */
  #pulls = 0;
  /** Looks since then that have found nothing new. */
  #idle = 0;

  /** @param stalled called when the reader has taken nothing for as long as it may */
  constructor(body: PulledBody, stalled: () => void) {
    this.#body = body;
    this.#stalled = stalled;
  }

  beat(patience: number): void {
    const { isStuck, pulls } = this.#body;
    this.#idle = isStuck && pulls === this.#pulls ? this.#idle + 1 : 0;
    this.#pulls = pulls;
    if (this.#idle >= patience) this.#stalled();
  }

  /** The server has closed: the reader has had its time. */
  stop(): void {
    this.#stalled();
  }
}
