import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { create, type DescMethod } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { test } from "vitest";
import { ClientError } from "../../../src/client/index.js";
import { grpcFetch } from "../../../src/client/transports/grpc/grpc-fetch.js";
import { Http2Sessions } from "../../../src/client/transports/grpc/http2-sessions.js";
import { nodeTransport } from "../../../src/client/transports/grpc/node-transport.js";
import { loadService } from "../../../src/grpc/service.js";
import { protocolVersion } from "../../../src/protocol/operations.js";
import { loadCallCodec } from "../../../src/versions/client-codecs.js";

/** A message with a number that protocol buffers can represent and JSON cannot. */
function withNaN({ output }: DescMethod) {
  const task = { id: "t1", metadata: { score: Number.NaN } };
  const members: Record<string, unknown> =
    output.name === "Task" ? task : { payload: { case: "task", value: task } };
  return create(output, members);
}

async function grpcService() {
  const codec = await loadCallCodec(protocolVersion);
  const { grpc } = (await codec.forBinding?.("GRPC")) ?? codec;
  assert.ok(grpc);
  return grpc;
}

/** A `fetch` over a transport whose agent answers every call with such a message. */
async function fetchNaN() {
  const grpc = await grpcService();
  const header = new Headers();
  // Its methods are generic over all services; this one answers for the service at hand.
  const transport = {
    unary: async (method: DescMethod) => ({ message: withNaN(method), header, trailer: new Headers() }),
    stream: async (method: DescMethod) => ({
      message: (async function* () {
        yield withNaN(method);
      })(),
      header,
      trailer: new Headers(),
    }),
  } as unknown as Transport;
  const fetch = grpcFetch(await loadService(grpc), () => transport, { limit: 1_000_000 });
  return (method: string) =>
    fetch(`http://127.0.0.1/${grpc.service}/${method}`, { method: "POST", body: "{}" });
}

function isInvalid(error: unknown): boolean {
  return error instanceof ClientError && error.code === "INVALID_RESPONSE" && /NaN/.test(error.message);
}

test("an answer or event that JSON cannot represent is invalid, not a failure of the connection", async () => {
  const call = await fetchNaN();
  await assert.rejects(call("GetTask"), isInvalid);
  const { body } = await call("SubscribeToTask");
  await assert.rejects(body?.getReader().read() ?? Promise.resolve(), isInvalid);
});

test("a PING without an answer is a failure of the connection, not an answer of the agent or an error of the process", async (t) => {
  const server = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const grpc = await grpcService();
  const service = await loadService(grpc);
  const sessions = new Http2Sessions(url, { pingIntervalMs: 20, pingTimeoutMs: 20 });
  const options = { tls: undefined, limit: 1_000_000, sessions };
  const fetch = grpcFetch(service, (base) => nodeTransport(base, options), options);
  // The second call replaces the connection of the first before that has emitted its error. The test would fail with an uncaught one.
  for (const method of ["GetTask", "SubscribeToTask", "GetTask"]) {
    const call = fetch(`${url}/${grpc.service}/${method}`, { method: "POST", body: '{"id":"t"}' });
    await assert.rejects(call, TypeError);
  }
});
