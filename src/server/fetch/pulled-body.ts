import type { OpenStream } from "../streams/open-streams.js";
import type { FetchConnection } from "./fetch-request.js";

/** A body that its reader pulls chunk by chunk: after the reader has stopped, at most one more chunk is made. */
export class PulledBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** How often the reader has requested more. */
  pulls = 0;
  /** The reader has requested more, and has not got it. */
  isPulling = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Lets the reader request again; undefined if it can. */
  #reopen: (() => void) | undefined;

  /**
   * @param pull writes the next chunk, or ends the body
   * @param connection closed when the reader leaves; the body breaks off when the connection is closed
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
          // Further requests of the reader are not reported before this promise resolves.
          return pull() ?? (this.isPulling ? new Promise((resolve) => (this.#reopen = resolve)) : undefined);
        },
        cancel: () => connection.close(),
      },
      // The stream requests no chunk in advance: the runtime has its own buffers.
      { highWaterMark: 0 },
    );
    connection.once("close", () => this.#breakOff(connection.isLeft));
  }

  /** Whether the reader has not yet taken the last chunk. */
  get isStuck(): boolean {
    return !this.isPulling || (this.#controller?.desiredSize ?? 0) < 0;
  }

  /** Writes a chunk that the reader has requested. The reader requests the next one after it has taken this one. */
  give(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes);
    this.#answered();
  }

  /**
   * Writes a chunk that the reader has requested. If the reader takes it at once, its request stays open for the next chunk, of which one
   * may then wait for the reader: a reader that keeps up needs no promise for a request.
   */
  push(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes);
    if ((this.#controller?.desiredSize ?? 0) < 0) this.#answered();
  }

  /** Writes a chunk that the reader has not requested: its request stays open. */
  interject(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes);
  }

  /** Ends the body cleanly, after the reader has taken all chunks. */
  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  #answered(): void {
    this.isPulling = false;
    this.#reopen?.();
    this.#reopen = undefined;
  }

  /** Drops the chunks that were not taken. Does nothing if the body has ended or its reader has left. */
  #breakOff(isLeft: boolean): void {
    // Runtimes report a body that fails; one whose caller has left has not failed.
    if (isLeft) this.#controller?.close();
    else this.#controller?.error(new Error("The connection was closed"));
    this.#controller = undefined;
  }
}

interface Watched {
  readonly connection: FetchConnection;
  stalled(): void;
}

/** Detects that the reader of a body takes nothing. */
export class ReaderWatch implements OpenStream {
  link: OpenStream["link"] = undefined;
  readonly #body: PulledBody;
  readonly #connection: FetchConnection;
  readonly #stalled: () => void;
  /** `pulls` of the body in the last period. */
  #pulls = 0;
  /** Periods in which the reader took nothing. */
  #idle = 0;

  /** @param connection closed when the reader has taken nothing for too long, after `stalled` was called, and when the server closes */
  constructor(body: PulledBody, { connection, stalled }: Watched) {
    this.#body = body;
    this.#connection = connection;
    this.#stalled = stalled;
  }

  beat(maxSilence: number): void {
    const { isStuck, pulls } = this.#body;
    this.#idle = isStuck && pulls === this.#pulls ? this.#idle + 1 : 0;
    this.#pulls = pulls;
    if (this.#idle < maxSilence) return;
    this.#stalled();
    this.#connection.close();
  }

  stop(): void {
    this.#connection.close();
  }
}
