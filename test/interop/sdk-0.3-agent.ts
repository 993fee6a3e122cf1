import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { AgentCard, Message, Part, TaskState } from "a2a-js-sdk-0.3";
import {
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from "a2a-js-sdk-0.3/server";
import { agentCardHandler, jsonRpcHandler, restHandler } from "a2a-js-sdk-0.3/server/express";
import { A2AService, grpcService } from "a2a-js-sdk-0.3/server/grpc";
import express from "express";
import type { TestContext } from "vitest";

/** Does what the first word of the message says: `say`, `ask`, `wait`, `parts`, `count <n>`, or gives the words back. */
class Obedient implements AgentExecutor {
  readonly #contexts = new Map<string, string>();
  readonly #canceled = new Set<string>();

  async execute(
    { taskId, contextId, task, userMessage }: RequestContext,
    bus: ExecutionEventBus,
  ): Promise<void> {
    const [part] = userMessage.parts;
    const words = part?.kind === "text" ? part.text.split(" ") : [];
    const message = (text: string): Message => ({
      kind: "message",
      messageId: crypto.randomUUID(),
      role: "agent",
      contextId,
      parts: [{ kind: "text", text }],
    });
    const status = (state: TaskState, text?: string, final = false): void => {
      const timestamp = new Date().toISOString();
      bus.publish({
        kind: "status-update",
        taskId,
        contextId,
        status: { state, timestamp, ...(text && { message: message(text) }) },
        final,
      });
    };
    const chunk = (parts: Part[], append: boolean, lastChunk: boolean): void =>
      bus.publish({
        kind: "artifact-update",
        taskId,
        contextId,
        artifact: { artifactId: "answer", name: "answer", parts },
        append,
        lastChunk,
      });
    this.#contexts.set(taskId, contextId);
    if (words[0] === "say") {
      bus.publish(message(words.slice(1).join(" ")));
      return bus.finished();
    }
    const timestamp = new Date().toISOString();
    if (task === undefined)
      bus.publish({
        kind: "task",
        id: taskId,
        contextId,
        status: { state: "submitted", timestamp },
        history: [userMessage],
      });
    status("working", "begun");
    if (words[0] === "ask") {
      status("input-required", "what?", true);
      return bus.finished();
    }
    if (words[0] === "wait") return this.#wait(taskId);
    const texts =
      words[0] === "count" ? Array.from({ length: Number(words[1]) }, (_, i) => `${i + 1} `) : words;
    const all: Part[][] =
      words[0] === "parts" ? [userMessage.parts.slice(1)] : texts.map((text) => [{ kind: "text", text }]);
    for (const [index, parts] of all.entries()) chunk(parts, index > 0, index === all.length - 1);
    status("completed", "done", true);
    bus.finished();
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.#canceled.add(taskId);
    const status = { state: "canceled", timestamp: new Date().toISOString() } as const;
    const contextId = this.#contexts.get(taskId) ?? "";
    bus.publish({ kind: "status-update", taskId, contextId, status, final: true });
    bus.finished();
  }

  async #wait(taskId: string): Promise<void> {
    while (!this.#canceled.has(taskId)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** An agent of the reference SDK's last release for 0.3, on real ports, over all three bindings. */
export async function serveOldSdkAgent(
  t: TestContext,
  more: Partial<AgentCard> = {},
): Promise<{ url: string }> {
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
  const card: AgentCard = {
    protocolVersion: "0.3.0",
    name: "Reference",
    description: "An agent of the reference SDK",
    version: "1",
    url: `${url}/rpc`,
    preferredTransport: "JSONRPC",
    additionalInterfaces: [
      { url: `${url}/rest`, transport: "HTTP+JSON" },
      { url: `127.0.0.1:${grpcPort}`, transport: "GRPC" },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    supportsAuthenticatedExtendedCard: true,
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "obey", name: "Obey", description: "Does as it is told", tags: ["test"] }],
    ...more,
  };
  const extended = { ...card, version: "2" };
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
  const options = { requestHandler, userBuilder };
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler(options));
  app.use("/rest", restHandler(options));
  grpc.addService(A2AService, grpcService(options) as never);
  t.onTestFinished(() => {
    grpc.forceShutdown();
    server.closeAllConnections();
    server.close();
  });
  return { url };
}
