import { randomUUID } from "node:crypto";
import type { Artifact, Message, Part, Task, TaskState } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor } from "@a2a-js/sdk/server";
import { chunked, gate, gated, never, readCommand, tokens } from "./script.js";

/** Numbers of protobuf's enums. */
const WORKING = 2 as TaskState;
export const COMPLETED = 3 as TaskState;
const ROLE_AGENT = 2 as Message["role"];

/** The agent as an application of the published SDK defines it. */
export const executor: AgentExecutor = {
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
