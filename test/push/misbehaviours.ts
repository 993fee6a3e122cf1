import { createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { certificate } from "./url-guard/certificate.js";

/** What a webhook does with a connection that it has accepted. */
export type Misbehaviour = (socket: Socket) => void;

const OK = "HTTP/1.1 200 OK\r\n";
const MIB = 1024 * 1024;

let packed: Buffer | undefined;

/** 64 MiB of zeros. */
function bomb(): Buffer {
  packed ??= gzipSync(Buffer.alloc(64 * MIB));
  return packed;
}

/** Calls back when the head of a request is there. */
function onRequest(socket: Socket, answer: () => void): void {
  let text = "";
  const read = (chunk: Buffer) => {
    text += chunk.toString("latin1");
    if (!text.includes("\r\n\r\n")) return;
    socket.off("data", read);
    socket.resume();
    answer();
  };
  socket.on("data", read);
}

/** Writes a text again and again, every few milliseconds. */
function trickle(socket: Socket, text: string, milliseconds = 5): void {
  const timer = setInterval(() => socket.write(text), milliseconds);
  socket.once("close", () => clearInterval(timer));
}

/** Writes as much as the other side takes. */
function flood(socket: Socket, chunk: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}

/** Deliveries to these fail: they end at the time limit, or earlier. */
export const failing: Readonly<Record<string, Misbehaviour>> = {
  "accepts and never reads": (socket) => socket.pause(),
  "reads and never answers": (socket) => socket.resume(),
  "answers 101": (socket) =>
    onRequest(socket, () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    ),
  "answers 101 and closes": (socket) =>
    onRequest(socket, () =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    ),
  "sends 1xx without end": (socket) =>
    onRequest(socket, () => flood(socket, "HTTP/1.1 102 Processing\r\n\r\n".repeat(100))),
  "sends too many 1xx and then 200": (socket) =>
    onRequest(socket, () =>
      socket.write(`${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17)}${OK}Content-Length: 0\r\n\r\n`),
    ),
  "sends 100 Continue slowly": (socket) =>
    onRequest(socket, () => trickle(socket, "HTTP/1.1 100 Continue\r\n\r\n")),
  "trickles headers": (socket) =>
    onRequest(socket, () => {
      socket.write(OK);
      trickle(socket, "X: y\r\n", 20);
    }),
  "sends headers without end": (socket) =>
    onRequest(socket, () => {
      socket.write(OK);
      flood(socket, `X: ${"y".repeat(1000)}\r\n`);
    }),
  "trickles a status line": (socket) => onRequest(socket, () => trickle(socket, "H")),
  "sends garbage": (socket) => onRequest(socket, () => flood(socket, Buffer.alloc(MIB, 0xff))),
  "speaks first": (socket) => socket.resume().write("220 mail.example ESMTP\r\n"),
  "closes at once": (socket) => socket.resume().end(),
  "resets at once": (socket) => socket.resetAndDestroy(),
  "resets on the request": (socket) => onRequest(socket, () => socket.resetAndDestroy()),
  "resets within the headers": (socket) =>
    onRequest(socket, () => socket.write(OK, () => socket.resetAndDestroy())),
  "closes its half and reads on": (socket) => onRequest(socket, () => socket.end()),
};

/** Deliveries to these succeed by the headers of the answer: what follows must hold nothing up. */
export const succeeding: Readonly<Record<string, Misbehaviour>> = {
  "trickles a body": (socket) =>
    onRequest(socket, () => {
      socket.write(`${OK}Content-Length: 1000000\r\n\r\n`);
      trickle(socket, "x");
    }),
  "sends a body without end": (socket) =>
    onRequest(socket, () => {
      socket.write(`${OK}\r\n`);
      flood(socket, Buffer.alloc(MIB));
    }),
  "announces a body and sends none": (socket) =>
    onRequest(socket, () => socket.write(`${OK}Content-Length: 9\r\n\r\n`)),
  "sends a compressed bomb": (socket) =>
    onRequest(socket, () => {
      const body = bomb();
      socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    }),
  "resets within the body": (socket) =>
    onRequest(socket, () => {
      socket.write(`${OK}Content-Length: 9\r\n\r\nx`);
      // At once, the reset would discard what the other end has not read yet.
      setTimeout(() => socket.resetAndDestroy(), 50);
    }),
  "sends a chunk that does not end": (socket) =>
    onRequest(socket, () => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\nfffffff\r\n`);
      trickle(socket, "x");
    }),
  "answers and never reads": (socket) =>
    onRequest(socket, () => socket.pause().write(`${OK}Content-Length: 0\r\n\r\n`)),
  "answers twice": (socket) =>
    onRequest(socket, () => socket.write(`${OK}Content-Length: 0\r\n\r\n`.repeat(2))),
};

/** A webhook that misbehaves, on loopback. */
export class MisbehavingReceiver {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections so far. */
  connections = 0;

  private constructor(misbehave: Misbehaviour, isSecure: boolean) {
    const accept = (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.once("end", () => socket.destroy());
      socket.on("error", () => undefined);
      misbehave(socket);
    };
    this.#server = isSecure
      ? createSecureServer(certificate, accept)
      : createServer({ allowHalfOpen: true }, accept);
  }

  /** Connections that are open, on this side at least. */
  get open(): number {
    return this.#sockets.size;
  }

  /** @param isSecure whether it speaks TLS, with the certificate of hooks.example.test */
  static async listen(misbehave: Misbehaviour, isSecure = false): Promise<MisbehavingReceiver> {
    const receiver = new MisbehavingReceiver(misbehave, isSecure);
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  url(scheme = "http", host = "127.0.0.1"): string {
    const address = this.#server.address();
    return `${scheme}://${host}:${typeof address === "object" ? address?.port : 0}/hook`;
  }

  /** Reads on from connections that were not read. Resolves once all are closed, with the bytes that they still had. */
  async readOn(): Promise<number> {
    let bytes = 0;
    const ends = [...this.#sockets].map((socket) => {
      socket.on("data", (chunk) => {
        bytes += chunk.length;
      });
      // A connection that was paused does not flow by a listener alone.
      socket.resume();
      return new Promise((resolve) => socket.once("close", resolve));
    });
    await Promise.all(ends);
    return bytes;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
