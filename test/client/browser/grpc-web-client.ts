import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { connect, textOf } from "../../../src/client/index.js";
import { loadService } from "../../../src/grpc/service.js";
import { grpcWeb } from "../../../src/grpc-web/index.js";
import { newestCodec } from "../../../src/versions/codecs.js";
import type { GrpcService } from "../../../src/versions/grpc-service.js";

// What a page does in the test beside it: the client of this package over gRPC-Web, and that of Connect over gRPC-Web and its own protocol.

type Json = any;

async function ours(url: string): Promise<object> {
  const client = await connect(url, { bindings: ["GRPC"], grpc: { web: grpcWeb } });
  const { task } = await client.sendText("count");
  let text = "";
  for await (const { artifactUpdate } of client.stream("count"))
    if (artifactUpdate) text += textOf(artifactUpdate.artifact);
  const missing = await client.getTask({ id: "none" }).catch(({ code }) => code);
  const [artifact] = task?.artifacts ?? [];
  const sent = artifact && textOf(artifact);
  return { binding: client.agentInterface.protocolBinding, sent, text, missing };
}

async function theirs(transport: Transport): Promise<object> {
  const client: Client<Json> & Record<string, Json> = createClient(
    await loadService(newestCodec.grpc as GrpcService),
    transport,
  );
  const headers = { "a2a-version": "1.0" };
  const parts = [{ content: { case: "text", value: "count" } }];
  const message = () => ({ message: { messageId: crypto.randomUUID(), role: 1, parts } });
  const { payload } = await client.sendMessage(message(), { headers });
  let events = 0;
  for await (const _ of client.sendStreamingMessage(message(), { headers })) events += 1;
  const { code, details } = await client.getTask({ id: "none" }, { headers }).catch((error: Json) => error);
  return { state: payload.value.status.state, events, code, details: details.length };
}

Object.assign(globalThis, {
  all: async (url: string) => [
    await ours(url),
    await theirs(createGrpcWebTransport({ baseUrl: url })),
    await theirs(createConnectTransport({ baseUrl: url })),
  ],
});
