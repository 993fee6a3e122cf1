import { randomUUID } from "node:crypto";
import { gate, never, readCommand, tokens } from "./script.js";

/** JSON without a type: the bare servers check nothing and copy nothing. */
type Json = any;

/** Takes one event of a task; undefined when there are no more. */
export type Listener = (event: Json | undefined) => void;

/**
 * The least that answers the same: tasks in a map, listeners in a set, no checks, no copies. What the bare servers do behind
 * HTTP, and nothing that a server could leave out and still send the same bytes.
 */
export class PlainAgent {
  readonly tasks = new Map<string, Json>();
  readonly #listeners = new Map<string, Set<Listener>>();

  /** The answer to SendMessage. */
  async send({ message }: Json): Promise<Json> {
    const text = textOf(message);
    const command = readCommand(text);
    if (command.name === "echo") return { message: this.#reply(text, message) };
    if (command.name === "open") {
      gate(command.key).open();
      return { message: this.#reply("opened", message) };
    }
    const task = this.#begin(message);
    await this.#work(task, command);
    return { task };
  }

  /** SendStreamingMessage. */
  stream({ message }: Json, listener: Listener): void {
    const task = this.#begin(message);
    this.#listen(task, listener);
    void this.#work(task, readCommand(textOf(message)));
  }

  /** SubscribeToTask; the result ends the subscription. */
  subscribe(id: string, listener: Listener): () => void {
    const task = this.tasks.get(id);
    if (task === undefined) throw new Error("no such task");
    this.#listen(task, listener);
    return () => this.#listeners.get(id)?.delete(listener);
  }

  /** The answer to ListTasks: tasks are kept in the order of their making. */
  list({ pageSize = 50, contextId }: Json): Json {
    const all = [...this.tasks.values()];
    const found = contextId === undefined ? all : all.filter((task) => task.contextId === contextId);
    const tasks = found
      .slice(-pageSize)
      .reverse()
      .map(({ artifacts, ...task }) => task);
    return { tasks, nextPageToken: tasks.at(-1)?.id ?? "", pageSize, totalSize: found.length };
  }

  #reply(text: string, { contextId = randomUUID() }: Json): Json {
    return { messageId: randomUUID(), role: "ROLE_AGENT", parts: [{ text }], contextId };
  }

  #begin(message: Json): Json {
    const id = randomUUID();
    const contextId = message.contextId ?? randomUUID();
    const status = { state: "TASK_STATE_WORKING", timestamp: now() };
    const history = [{ ...message, taskId: id, contextId }];
    const task = { id, contextId, status, artifacts: [], history };
    this.tasks.set(id, task);
    return task;
  }

  #listen(task: Json, listener: Listener): void {
    listener({ task });
    const listeners = this.#listeners.get(task.id) ?? new Set();
    this.#listeners.set(task.id, listeners.add(listener));
  }

  #tell(task: Json, event: Json | undefined): void {
    for (const listener of this.#listeners.get(task.id) ?? []) listener(event);
  }

  async #work(task: Json, command: ReturnType<typeof readCommand>): Promise<void> {
    const { name, key } = command;
    if (name === "hold") await never;
    if (name === "gate") await gate(key).opened;
    if (name === "task") this.#artifact(task, "done", randomUUID(), false);
    const artifactId = randomUUID();
    let append = false;
    for await (const token of tokens(command)) {
      if (name === "chunks") this.#artifact(task, token, artifactId, append);
      else this.#progress(task, token);
      if (name === "large") this.#artifact(task, token, randomUUID(), false);
      append = true;
    }
    if (task.status.message !== undefined) task.history.push(task.status.message);
    task.status = { state: "TASK_STATE_COMPLETED", timestamp: now() };
    this.#tell(task, { statusUpdate: { taskId: task.id, contextId: task.contextId, status: task.status } });
    this.#tell(task, undefined);
    this.#listeners.delete(task.id);
  }

  #progress(task: Json, text: string): void {
    const { id: taskId, contextId } = task;
    const message = { parts: [{ text }], messageId: randomUUID(), role: "ROLE_AGENT", contextId, taskId };
    if (task.status.message !== undefined) task.history.push(task.status.message);
    task.status = { state: "TASK_STATE_WORKING", message, timestamp: now() };
    this.#tell(task, { statusUpdate: { taskId, contextId, status: task.status } });
  }

  #artifact(task: Json, text: string, artifactId: string, append: boolean): void {
    const { id: taskId, contextId } = task;
    const part = { text };
    if (append) task.artifacts.at(-1).parts.push(part);
    else task.artifacts.push({ artifactId, name: "result", parts: [part] });
    const artifact = append ? { artifactId, parts: [part] } : { artifactId, name: "result", parts: [part] };
    this.#tell(task, {
      artifactUpdate: { taskId, contextId, artifact, ...(append && { append }) },
    });
  }
}

/** Finished tasks for lists. */
export function fill(agent: PlainAgent, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const contextId = index % (count / 100) === 0 ? "hundred" : `context-${index}`;
    const timestamp = new Date(Date.UTC(2025, 0, 1) + index).toISOString();
    const id = `task-${index}`;
    agent.tasks.set(id, { id, contextId, status: { state: "TASK_STATE_COMPLETED", timestamp } });
  }
}

function textOf(message: Json): string {
  return message.parts.map((part: Json) => part.text ?? "").join("");
}

function now(): string {
  return new Date().toISOString();
}
