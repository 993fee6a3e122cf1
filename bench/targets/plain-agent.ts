import { randomUUID } from "node:crypto";
import type { FinishedTask } from "./control.js";
import { chunked, gate, gated, never, readCommand, tokens } from "./script.js";

/** JSON without a type: the bare servers check nothing and copy nothing. */
type Json = any;

/** Receives one event of a task; undefined at the end. */
export type Listener = (event: Json | undefined) => void;

/**
 * The minimum that gives the same answers: tasks in a map, listeners in a set, no checks, no copies. It is the agent of the bare servers, and
 * has nothing that a server could leave out and still send the same bytes.
 */
export class PlainAgent {
  readonly tasks = new Map<string, Json>();
  /** Tasks of a tenant and those of a context, in the order of their making. */
  readonly #lists = new Map<string, Json[]>();
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

  /** The answer to ListTasks, newest first. */
  list({ pageSize = 50, contextId, tenant = "" }: Json): Json {
    const found = this.#lists.get(`${tenant} ${contextId ?? ""}`) ?? [];
    const tasks = [];
    for (let at = found.length - 1; at >= 0 && tasks.length < pageSize; at -= 1) {
      const { artifacts, ...task } = found[at];
      tasks.push(task);
    }
    return { tasks, nextPageToken: tasks.at(-1)?.id ?? "", pageSize, totalSize: found.length };
  }

  /** Adds a finished task to the lists. */
  add({ id, contextId, timestamp }: FinishedTask, tenant: string): void {
    const task = { id, contextId, status: { state: "TASK_STATE_COMPLETED", timestamp } };
    for (const context of ["", contextId]) {
      const list = this.#lists.get(`${tenant} ${context}`) ?? [];
      this.#lists.set(`${tenant} ${context}`, list);
      list.push(task);
    }
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
    if (gated.has(name)) await gate(key).opened;
    if (name === "task") this.#artifact(task, "done", randomUUID(), false);
    const artifactId = randomUUID();
    let append = false;
    for await (const token of tokens(command)) {
      if (chunked.has(name)) this.#artifact(task, token, artifactId, append);
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

function textOf(message: Json): string {
  return message.parts.map((part: Json) => part.text ?? "").join("");
}

function now(): string {
  return new Date().toISOString();
}
