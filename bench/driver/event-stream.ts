import { connect, type Socket } from "node:net";
import { microseconds } from "../targets/script.js";

const LINE_FEED = 0x0a;
const NO_FRAMES = 0;
/** The last chunk of a body without a length. Text within an event cannot look like it: line ends are escaped there. */
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** A paced word in a frame, with the time at which the agent yielded it. */
const STAMP = /"\d+ at (\d+) /g;

/** An open event stream. Its frames are counted, not parsed. */
export class EventStream {
  /** Resolves when the server has ended the stream; rejects when the connection fails. */
  readonly ended: Promise<void>;
  /** Frames that have arrived. */
  frames = NO_FRAMES;
  readonly #socket: Socket;
  readonly #kept: Buffer[] = [];
  readonly #keep: boolean;
  /** Milliseconds from the agent to this reader for each paced word, if `times` is set. */
  readonly delays: number[] = [];
  readonly #times: boolean;
  /** The last bytes that have arrived, as many as the end of a body has. */
  #tail: Buffer = Buffer.of();
  #awaited: { frames: number; resolve: () => void } | undefined;

  /**
   * @param request bytes of the request; the server is asked to close the connection at the end, which not every server does
   * at once
   * @param options `keep` what arrives, note the delays of words (`times`), or begin `stalled`: the reader takes nothing from the connection
   */
  constructor(
    port: number,
    request: Buffer,
    options: { keep?: boolean; times?: boolean; stalled?: boolean } = {},
  ) {
    this.#keep = options.keep ?? false;
    this.#times = options.times ?? false;
    const socket = connect(port, "127.0.0.1");
    this.#socket = socket;
    socket.write(request.toString().replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    this.ended = new Promise((resolve, reject) => {
      socket.once("end", resolve);
      socket.once("close", resolve);
      socket.once("error", reject);
    });
    if (options.stalled) socket.pause();
    else this.read();
  }

  /** Begins to read. */
  read(): void {
    this.#socket.on("data", (bytes) => this.#take(bytes));
    this.#socket.resume();
  }

  /** Resolves when a number of frames have arrived; rejects when the stream ends earlier. */
  async until(frames: number): Promise<void> {
    if (this.frames >= frames) return;
    const arrived = new Promise<void>((resolve) => {
      this.#awaited = { frames, resolve };
    });
    await Promise.race([arrived, this.ended]);
    if (this.frames < frames) throw new Error(`The stream ended after ${this.frames} frames of ${frames}`);
  }

  /** The data lines, of a stream whose content was kept. */
  data(): string[] {
    const text = Buffer.concat(this.#kept).toString();
    return [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => data);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** An empty line ends a frame; those of HTTP's own framing have a carriage return before their line feed. */
  #take(bytes: Buffer): void {
    if (this.#keep) this.#kept.push(bytes);
    if (this.#times) {
      const now = microseconds();
      for (const [, given] of bytes.toString("latin1").matchAll(STAMP))
        this.delays.push((now - Number(given)) / 1000);
    }
    if (this.#tail.at(-1) === LINE_FEED && bytes[0] === LINE_FEED) this.frames += 1;
    for (let at = bytes.indexOf("\n\n"); at !== -1; at = bytes.indexOf("\n\n", at + 2)) this.frames += 1;
    const known = bytes.length < LAST_CHUNK.length ? Buffer.concat([this.#tail, bytes]) : bytes;
    this.#tail = known.subarray(-LAST_CHUNK.length);
    if (this.#awaited !== undefined && this.frames >= this.#awaited.frames) this.#awaited.resolve();
    if (this.#tail.equals(LAST_CHUNK)) this.close();
  }
}
