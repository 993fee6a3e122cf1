import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { LegacyA2AService, legacyGrpcService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, restHandler } from "@a2a-js/sdk/server/express";
import { A2AService, grpcService } from "@a2a-js/sdk/server/grpc";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import express from "express";
import type { TestContext } from "vitest";

/** Publishes on the bus in the JSON form of the protocol, which the SDK turns into its own. */
class Publisher {
  readonly #bus: ExecutionEventBus;
  readonly #ids: { taskId: string; contextId: string };

  constructor(bus: ExecutionEventBus, ids: { taskId: string; contextId: string }) {
    this.#bus = bus;
    this.#ids = ids;
  }

  task(state: string): void {
    const { taskId: id, contextId } = this.#ids;
    this.#bus.publish(AgentEvent.task(Task.fromJSON({ id, contextId, status: this.#status(state) })));
  }

  status(state: string, text?: string): void {
    const update = { ...this.#ids, status: this.#status(state, text) };
    this.#bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(update)));
  }

  chunk(text: string, append: boolean): void {
    const artifact = { artifactId: "answer", name: "answer", parts: [{ text }] };
    const update = { ...this.#ids, artifact, append, lastChunk: false };
    this.#bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
  }

  message(text: string): void {
    this.#bus.publish(AgentEvent.message(Message.fromJSON(this.#message(text))));
  }

  finished(): void {
    this.#bus.finished();
  }

  #status(state: string, text?: string) {
    const timestamp = new Date().toISOString();
    return { state: `TASK_STATE_${state}`, timestamp, ...(text && { message: this.#message(text) }) };
  }

  #message(text: string) {
    const { contextId } = this.#ids;
    return { messageId: crypto.randomUUID(), contextId, role: "ROLE_AGENT", parts: [{ text }] };
  }
}

/** Does what the first word of the message says: `say`, `ask`, `wait`, `count <n>`, or gives the words back. */
class Obedient implements AgentExecutor {
  readonly #contexts = new Map<string, string>();
  readonly #canceled = new Set<string>();

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, contextId, task } = context;
    const [part] = context.userMessage.parts;
    const words = part?.content?.$case === "text" ? part.content.value.split(" ") : [];
    const publisher = new Publisher(bus, { taskId, contextId });
    this.#contexts.set(taskId, contextId);
    if (words[0] === "say") {
      publisher.message(words.slice(1).join(" "));
      return publisher.finished();
    }
    if (task === undefined) publisher.task("SUBMITTED");
    else bus.publish(AgentEvent.task(task));
    publisher.status("WORKING", "begun");
    if (words[0] === "ask") return publisher.status("INPUT_REQUIRED", "what?");
    if (words[0] === "wait") return this.#wait(taskId);
    const chunks =
      words[0] === "count" ? Array.from({ length: Number(words[1]) }, (_, i) => `${i + 1} `) : words;
    for (const [index, chunk] of chunks.entries()) {
      if (index % 4 === 0) await setImmediate();
      publisher.chunk(chunk, index > 0);
    }
    publisher.status("COMPLETED", "done");
    publisher.finished();
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.#canceled.add(taskId);
    const publisher = new Publisher(bus, { taskId, contextId: this.#contexts.get(taskId) ?? "" });
    publisher.status("CANCELED");
    publisher.finished();
  }

  async #wait(taskId: string): Promise<void> {
    while (!this.#canceled.has(taskId)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * An agent of the reference SDK for JavaScript on real ports, over all three bindings.
 * @param versions protocol versions that it speaks
 */
export async function serveSdkAgent(t: TestContext, versions = ["1.0"]): Promise<{ url: string }> {
  const app = express();
  const server = createServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const grpc = new Server();
  const grpcPort = await new Promise<number>((resolve, reject) => {
    grpc.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
  const card = AgentCard.fromJSON({
    name: "Reference",
    description: "An agent of the reference SDK",
    version: "1",
    supportedInterfaces: versions.flatMap((protocolVersion) => [
      { url: `${url}/rpc`, protocolBinding: "JSONRPC", tenant: "", protocolVersion },
      { url: `${url}/rest`, protocolBinding: "HTTP+JSON", tenant: "", protocolVersion },
      { url: `127.0.0.1:${grpcPort}`, protocolBinding: "GRPC", tenant: "", protocolVersion },
    ]),
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "obey", name: "Obey", description: "Does as it is told", tags: ["test"] }],
  });
  const extended = AgentCard.fromJSON({ ...(AgentCard.toJSON(card) as object), version: "2" });
  const requestHandler = new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    new Obedient(),
    undefined,
    undefined,
    undefined,
    extended,
  );
  const userBuilder = async () => ({ isAuthenticated: true, userName: "tester" });
  const legacyCompat = { enabled: versions.includes("0.3") };
  const options = { requestHandler, userBuilder, legacyCompat };
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler(options));
  app.use("/rest", restHandler(options));
  grpc.addService(A2AService, grpcService(options) as never);
  if (legacyCompat.enabled) grpc.addService(LegacyA2AService, legacyGrpcService(options) as never);
  t.onTestFinished(() => {
    grpc.forceShutdown();
    server.closeAllConnections();
    server.close();
  });
  return { url };
}
