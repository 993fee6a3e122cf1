import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestContext } from "vitest";

/** Path of the service, before the name of a method. */
export const PATH = "/lf.a2a.v1.A2AService/";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** Types of frames. */
export const FRAMES = {
  ...{ data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 },
};

/** A frame of HTTP/2. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A connection that has begun to speak HTTP/2 and speaks it as it likes. */
export async function beginHttp2(t: Pick<TestContext, "onTestFinished">, port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  t.onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(Buffer.concat([Buffer.from(PREFACE), frame(FRAMES.settings, 0, 0)]));
  return socket;
}

/** The headers of a call, in literals without an index. */
export function headersOf(path: string): Buffer {
  const field = (name: string, value: string) =>
    Buffer.concat([
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]);
  return Buffer.concat([
    field(":method", "POST"),
    field(":scheme", "http"),
    field(":path", path),
    field(":authority", "localhost"),
    field("content-type", "application/grpc"),
    field("te", "trailers"),
    field("a2a-version", "1.0"),
  ]);
}

/** A message of gRPC, with the bytes that stand before it. */
export function framedMessage(bytes: Uint8Array, compressed: boolean): Buffer {
  const head = Buffer.alloc(5);
  head[0] = compressed ? 1 : 0;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
