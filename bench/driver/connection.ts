import { connect, type Socket } from "node:net";

/** A response that was read to its end. */
export interface Response {
  readonly status: number;
  /** The body; one without a length still has the framing of its chunks. */
  readonly body: Buffer;
}

const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\nContent-Length: (\d+)/i;
/** The end of a body without a length: its last chunk, which no text of a message looks like. */
const LAST_CHUNK = "0\r\n\r\n";

/**
 * A connection to a server, with one request at a time. It supports only the part of HTTP that the targets use: a body with a length or
 * in chunks. The driver therefore needs little of the machine that it shares with the server.
 */
export class Connection {
  readonly socket: Socket;
  #received: Buffer[] = [];
  /** Bytes of the body that have not arrived; without end for a body without a length. */
  #missing = 0;
  #status = 0;
  #pending: { resolve(response: Response): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("The server closed the connection")));
  }

  /** Connects to a port of this machine. */
  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => resolve(new Connection(socket)));
      socket.once("error", reject);
    });
  }

  /** Sends a request and waits for the response. */
  request(bytes: Buffer): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = undefined;
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    if (this.#missing === 0) {
      const head = this.#received.length === 0 ? bytes : Buffer.concat([...this.#received, bytes]);
      const end = head.indexOf(HEAD_END);
      this.#received = [head];
      if (end === -1) return;
      const lines = head.toString("latin1", 0, end);
      this.#status = Number(lines.slice(9, 12));
      const length = LENGTH.exec(lines)?.[1];
      this.#missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
      this.#received = [];
      rest = head.subarray(end + HEAD_END.length);
    }
    this.#received.push(rest);
    this.#missing -= rest.length;
    const isLast = this.#missing === Number.POSITIVE_INFINITY && endsBody(Buffer.concat(this.#received));
    if (this.#missing > 0 && !isLast) return;
    const [only = rest, ...others] = this.#received;
    const body = others.length === 0 ? only : Buffer.concat([only, ...others]);
    this.#received = [];
    this.#missing = 0;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve({ status: this.#status, body });
  }
}

/** Whether the last chunk of a body is at the end of bytes. */
function endsBody(bytes: Buffer): boolean {
  return bytes.toString("latin1", Math.max(0, bytes.length - LAST_CHUNK.length)) === LAST_CHUNK;
}
