import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { toBinary } from "@bufbuild/protobuf";
import { loadService, messageOf } from "../../src/grpc/service.js";
import { newestCodec } from "../../src/versions/codecs.js";
import type { GrpcService } from "../../src/versions/grpc-service.js";
import { message } from "./requests.js";
import type { Server } from "./server.js";

const service = await loadService(newestCodec.grpc as GrpcService);

/** Bytes before a message: a flag, and its length. */
const PREFIX = 5;

/** The bytes of a call with a text, framed. */
export function framed(text: string): Buffer {
  const input = service.method.sendMessage?.input;
  if (input === undefined) throw new Error("There is no SendMessage");
  const bytes = toBinary(input, messageOf(input, message(text)));
  const frame = Buffer.alloc(PREFIX + bytes.length);
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, PREFIX);
  return frame;
}

/** A connection of HTTP/2 to a server. */
export class GrpcConnection {
  readonly #session: ClientHttp2Session;

  constructor({ port }: Server) {
    this.#session = connect(`http://127.0.0.1:${port}`);
    this.#session.on("error", () => undefined);
  }

  /** Calls a method, and counts the messages of the answer. */
  call(method: string, body: Buffer): GrpcReader {
    const stream = this.#session.request({
      ":method": "POST",
      ":path": `/${service.typeName}/${method}`,
      "content-type": "application/grpc",
      "a2a-version": "1.0",
      te: "trailers",
    });
    stream.end(body);
    return new GrpcReader(stream);
  }

  close(): void {
    this.#session.destroy();
  }
}

/** Counts the messages of an answer as they arrive; their content is not read. */
export class GrpcReader {
  /** Resolves when the call has ended with the status OK. */
  readonly ended: Promise<void>;
  messages = 0;
  readonly #stream: ClientHttp2Stream;
  /** Bytes of the current message that have not arrived. */
  #missing = 0;
  #rest: Buffer = Buffer.of();

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    let status: unknown = "none";
    const take = (headers: object) => {
      status = (headers as { "grpc-status"?: string })["grpc-status"] ?? status;
    };
    stream.on("response", take).on("trailers", take);
    this.ended = new Promise((resolve, reject) => {
      stream.once("error", reject);
      stream.once("close", () => (status === "0" ? resolve() : reject(new Error(`status ${status}`))));
    });
    this.ended.catch(() => undefined);
  }

  /** Begins to read. Until then the reader takes nothing, and its window fills. */
  read(): this {
    this.#stream.on("data", (bytes: Buffer) => this.#take(bytes));
    return this;
  }

  close(): void {
    this.#stream.close();
  }

  #take(bytes: Buffer): void {
    let at = Math.min(this.#missing, bytes.length);
    this.#missing -= at;
    while (this.#missing === 0 && at < bytes.length) {
      const head =
        this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes.subarray(at)]) : bytes.subarray(at);
      if (head.length < PREFIX) {
        this.#rest = head;
        return;
      }
      const length = head.readUInt32BE(1);
      at += PREFIX - this.#rest.length;
      this.#rest = Buffer.of();
      this.messages += 1;
      const there = Math.min(length, bytes.length - at);
      at += there;
      this.#missing = length - there;
    }
  }
}
