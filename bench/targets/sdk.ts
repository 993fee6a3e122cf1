import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { AgentCard, Artifact, Message, Part, Task, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  ServerCallContext,
  type TaskStore,
  UnauthenticatedUser,
} from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";
import { plainCard } from "./card.js";
import { serveTarget } from "./control.js";
import { chunked, gate, gated, never, readCommand, tokens } from "./script.js";

/** The published SDK, used as its README and samples do it: default handler, its memory store, its Express adapter. */

/** Numbers of protobuf's enums. */
const WORKING = 2 as TaskState;
const COMPLETED = 3 as TaskState;
const ROLE_AGENT = 2 as Message["role"];

const executor: AgentExecutor = {
  async execute({ userMessage, taskId, contextId }, bus) {
    const text = userMessage.parts
      .map(({ content }) => (content?.$case === "text" ? content.value : ""))
      .join("");
    const command = readCommand(text);
    const { name, key } = command;
    const ids = { taskId, contextId };
    if (name === "open") gate(key).open();
    if (name === "echo" || name === "open") {
      bus.publish(
        AgentEvent.message(messageOf(name === "echo" ? text : "opened", { taskId: "", contextId })),
      );
      bus.finished();
      return;
    }
    bus.publish(AgentEvent.task(taskOf(ids, userMessage)));
    const artifactUpdate = (artifact: Artifact, append: boolean) =>
      bus.publish(
        AgentEvent.artifactUpdate({ ...ids, artifact, append, lastChunk: false, metadata: undefined }),
      );
    const statusUpdate = (state: TaskState, message?: Message) =>
      bus.publish(
        AgentEvent.statusUpdate({
          ...ids,
          status: { state, message, timestamp: now() },
          metadata: undefined,
        }),
      );
    if (name === "task") artifactUpdate(artifactOf(randomUUID(), "done"), false);
    if (name === "hold") await never;
    if (gated.has(name)) await gate(key).opened;
    const artifactId = randomUUID();
    let append = false;
    for await (const token of tokens(command)) {
      if (chunked.has(name)) artifactUpdate(artifactOf(artifactId, token), append);
      else statusUpdate(WORKING, messageOf(token, ids));
      if (name === "large") artifactUpdate(artifactOf(randomUUID(), token), false);
      append = true;
    }
    statusUpdate(COMPLETED);
    bus.finished();
  },
  async cancelTask() {},
};

function partOf(value: string): Part {
  return { content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "" };
}

function messageOf(text: string, ids: { taskId: string; contextId: string }): Message {
  const rest = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  return { messageId: randomUUID(), role: ROLE_AGENT, parts: [partOf(text)], ...ids, ...rest };
}

function artifactOf(artifactId: string, text: string): Artifact {
  const rest = { description: "", metadata: undefined, extensions: [] };
  return { artifactId, name: "result", parts: [partOf(text)], ...rest };
}

function taskOf(ids: { taskId: string; contextId: string }, message: Message): Task {
  return {
    id: ids.taskId,
    contextId: ids.contextId,
    status: { state: WORKING, message: undefined, timestamp: now() },
    artifacts: [],
    history: [{ ...message, ...ids }],
    metadata: undefined,
  };
}

function now(): string {
  return new Date().toISOString();
}

const store = new InMemoryTaskStore();

/** A store on another machine: every call takes its time. */
function slow(delay: number): TaskStore {
  const wait = () => new Promise((resolve) => setTimeout(resolve, delay));
  return {
    save: (...call) => wait().then(() => store.save(...call)),
    load: (...call) => wait().then(() => store.load(...call)),
    list: (...call) => wait().then(() => store.list(...call)),
  };
}

const app = express();

await serveTarget({
  async start({ storeDelay, bodyLimit }) {
    const server = app.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const card = plainCard(`http://127.0.0.1:${port}`) as AgentCard;
    const requestHandler = new DefaultRequestHandler(
      card,
      storeDelay === undefined ? store : slow(storeDelay),
      executor,
    );
    if (bodyLimit !== undefined) app.use(express.json({ limit: bodyLimit }));
    app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
    app.use("/rest", restHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
    app.use("/", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
    return { port, jsonRpc: "/", httpJson: "/rest" };
  },
  async fill(tasks, tenant) {
    const context = new ServerCallContext({ user: new UnauthenticatedUser(), tenant });
    const rest = { artifacts: [], history: [], metadata: undefined };
    for (const { id, contextId, timestamp } of tasks) {
      await store.save(
        { id, contextId, status: { state: COMPLETED, message: undefined, timestamp }, ...rest },
        context,
      );
    }
  },
});
