import { randomUUID } from "node:crypto";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { AgentCard } from "@a2a-js/sdk";
import { createFileRegistry, type DescMethod, fromJson, type JsonValue } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  timestampNow,
} from "@bufbuild/protobuf/wkt";
import type { MethodImpl } from "@connectrpc/connect";
import { fileDescriptor } from "../../generated/v1.0/grpc.js";
import { plainCard } from "./card.js";
import { type Ready, serveTarget } from "./control.js";
import { readCommand, tokens } from "./script.js";

// Servers of the gRPC binding: Connect alone, the published SDK, and Parley.

/** A message of protobuf-es: the bare server checks nothing and copies nothing. */
type Value = any;

/** Numbers of protobuf's enums. */
const WORKING = 2;
const COMPLETED = 3;
const ROLE_AGENT = 2;

const imports = [file_google_protobuf_empty, file_google_protobuf_struct, file_google_protobuf_timestamp];

function method(name: string): DescMethod {
  const proto = fromJson(FileDescriptorProtoSchema, fileDescriptor as JsonValue);
  const registry = createFileRegistry(proto, (path) => imports.find((file) => `${file.name}.proto` === path));
  const found = [...registry].flatMap((type) => (type.kind === "service" ? type.methods : []));
  return found.find((one) => one.name === name) as DescMethod;
}

const messageOf = (text: string, ids: object): Value => ({
  messageId: randomUUID(),
  role: ROLE_AGENT,
  parts: [{ content: { case: "text", value: text } }],
  ...ids,
});

const textOf = ({ message }: Value): string =>
  message.parts.map(({ content }: Value) => (content.case === "text" ? content.value : "")).join("");

/** SendMessage: a message is answered with a message. */
function answer(request: Value): Value {
  const contextId = request.message.contextId || randomUUID();
  return { payload: { case: "message", value: messageOf(textOf(request), { contextId }) } };
}

/** SendStreamingMessage: a task with progress messages. */
async function* events({ message }: Value): AsyncGenerator<Value> {
  const taskId = randomUUID();
  const contextId = message.contextId || randomUUID();
  const ids = { taskId, contextId };
  const status = () => ({ state: WORKING, timestamp: timestampNow() });
  const history = [{ ...message, ...ids }];
  yield { payload: { case: "task", value: { id: taskId, contextId, status: status(), history } } };
  for await (const token of tokens(readCommand(textOf({ message })))) {
    const value = { ...ids, status: { ...status(), message: messageOf(token, ids) } };
    yield { payload: { case: "statusUpdate", value } };
  }
  const last = { state: COMPLETED, timestamp: timestampNow() };
  yield { payload: { case: "statusUpdate", value: { ...ids, status: last } } };
}

const readyAt = (port: number): Ready => ({ port, jsonRpc: "", httpJson: "" });

/** The servers by the name of their target. */
const servers: Readonly<Record<string, () => Promise<Ready>>> = {
  async "connect-node"() {
    const { connectNodeAdapter } = await import("@connectrpc/connect-node");
    const server = createServer(
      connectNodeAdapter({
        routes: (router) => {
          router.rpc(method("SendMessage"), answer as unknown as MethodImpl<DescMethod>);
          router.rpc(method("SendStreamingMessage"), events as unknown as MethodImpl<DescMethod>);
        },
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return readyAt((server.address() as AddressInfo).port);
  },
  async "sdk-grpc"() {
    const { Server, ServerCredentials } = await import("@grpc/grpc-js");
    const { DefaultRequestHandler, InMemoryTaskStore } = await import("@a2a-js/sdk/server");
    const { A2AService, grpcService, UserBuilder } = await import("@a2a-js/sdk/server/grpc");
    const { executor } = await import("./sdk-agent.js");
    const server = new Server();
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    const supportedInterfaces = [
      { url: `127.0.0.1:${port}`, protocolBinding: "GRPC", protocolVersion: "1.0" },
    ];
    const card = { ...plainCard(""), supportedInterfaces } as AgentCard;
    const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
    const userBuilder = UserBuilder.noAuthentication;
    server.addService(A2AService, grpcService({ requestHandler, userBuilder }) as never);
    return readyAt(port);
  },
  async "parley-grpc"() {
    const { serve } = await import("../../src/server/index.js");
    const { agent } = await import("./parley-agent.js");
    const { grpcAddress = "" } = await serve(agent, { bindings: ["GRPC"] });
    return readyAt(Number(grpcAddress.split(":").at(-1)));
  },
};

await serveTarget({
  start: ({ name = "" }) => servers[name]?.() ?? Promise.reject(new Error(`There is no server ${name}`)),
});
