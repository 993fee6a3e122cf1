import type { CallContext } from "../../src/protocol/call-context.js";
import { A2AError } from "../../src/protocol/errors.js";
import { isTerminal } from "../../src/protocol/lifecycle.js";
import { silent } from "../../src/protocol/logger.js";
import type { Received, StreamResponse, Task } from "../../src/protocol/model.js";
import { generationOf } from "../../src/task-log/log.js";
import type { Cluster } from "./cluster.js";
import { type Node, scope } from "./node.js";

const COMMANDS = ["work 3", "work 1", "ask 2", "leave 1", "stubborn 4", "slow 5"];
const HOOK = "https://hooks.example/";
/** Milliseconds before a caller tries again. */
const PATIENCE = 300;

/** One caller with one task: sends messages to any node, reads its streams from any node, and tries again when that fails. */
export class Caller {
  readonly #cluster: Cluster;
  readonly #name: string;
  /** Messages that were taken in. */
  readonly accepted: string[] = [];
  taskId: string | undefined;

  constructor(cluster: Cluster, name: string) {
    this.#cluster = cluster;
    this.#name = name;
  }

  /** Goes on until the task has ended, or nothing more comes to mind. */
  async run(): Promise<void> {
    const { world } = this.#cluster;
    await world.sleep(world.delay(4000));
    await this.#send(`${this.#name}-0`);
    if (this.taskId === undefined) return;
    for (const index of [0, 1]) void this.#subscribe(`${this.#name} reader ${index}`, this.taskId);
    void this.#hook(this.taskId);
    for (let count = 1; count <= 3; count += 1) {
      await world.sleep(world.delay(8000));
      if (world.chance() < 0.15)
        await this.#try("cancels", (node) => node.engine.cancelTask({ id: this.taskId ?? "" }, call()));
      else if (world.chance() < 0.6) await this.#send(`${this.#name}-${count}`);
    }
  }

  /** Sends a message, again and again, until it is taken in or cannot be. */
  async #send(messageId: string): Promise<void> {
    const { world } = this.#cluster;
    const parts = [{ text: world.pick(COMMANDS) }];
    const returnImmediately = world.chance() < 0.7;
    const message = {
      messageId,
      role: "ROLE_USER" as const,
      parts,
      ...(this.taskId && { taskId: this.taskId }),
    };
    // A webhook that comes with the message that makes the task gets all of it.
    const taskPushNotificationConfig =
      this.taskId === undefined && world.chance() < 0.7
        ? { id: `webhook of ${messageId}`, url: HOOK }
        : undefined;
    const configuration = {
      returnImmediately,
      ...(taskPushNotificationConfig && { taskPushNotificationConfig }),
    };
    const answer = await this.#try(`sends ${messageId}`, (node) =>
      node.engine.sendMessage({ message, configuration }, call()),
    );
    if (answer?.task === undefined) return;
    this.taskId ??= answer.task.id;
    if (taskPushNotificationConfig) this.#cluster.hooks.set(taskPushNotificationConfig.id, answer.task.id);
    if (answer.task.id !== this.taskId) world.broken(`${messageId} made another task`);
    this.accepted.push(messageId);
  }

  /** Asks nodes until one answers; undefined when the answer is that it cannot be. */
  async #try<Answer>(what: string, ask: (node: Node) => Promise<Answer>): Promise<Answer | undefined> {
    const { world } = this.#cluster;
    for (;;) {
      const node = await this.#cluster.anyNode();
      world.note(`${this.#name} ${what} at ${node.host.name}`);
      try {
        return await this.#cluster.at(node, () => ask(node));
      } catch (error) {
        world.note(`${this.#name} ${what} at ${node.host.name}: ${String(error)}`);
        if (isFinal(error)) return undefined;
      }
      await world.sleep(PATIENCE);
    }
  }

  /** Stores a webhook for the whole log, and has it delivered by that node first. */
  async #hook(taskId: string): Promise<void> {
    const config = { id: `hook of ${this.#name}`, taskId, url: HOOK };
    await this.#try("sets up a webhook", async (node) => {
      const { lease } = node.outbox;
      const registration = {
        config,
        version: "1.0",
        delivered: 0,
        ended: false,
        lease,
        limit: 9,
        ownerLimit: 10_000,
      };
      const record = await node.store.saveConfig(scope, registration);
      if (record !== undefined) node.outbox.follow(record);
    });
    this.#cluster.hooks.set(config.id, taskId);
  }

  /** Reads the task to its end, from whichever node is there, and checks what it gets. */
  async #subscribe(name: string, taskId: string): Promise<void> {
    const { world, readers } = this.#cluster;
    let last = 0;
    readers.set(name, taskId);
    for (;;) {
      const node = await this.#cluster.anyNode();
      const leaving = new AbortController();
      const context = { ...call(), signal: leaving.signal, ...(last > 0 && { after: last }) };
      const stream = node.engine.subscribeToTask({ id: taskId }, context)[Symbol.asyncIterator]();
      try {
        for (let isFirst = true; ; isFirst = false) {
          const { value, done } = await this.#cluster.at(node, () => stream.next());
          if (done || value === undefined) break;
          last = this.#look(value, { taskId, name, last, isFirst });
          if (ends(value)) {
            readers.delete(name);
            return;
          }
          if (world.happens(0.03)) break;
        }
      } catch (error) {
        if (isFinal(error)) {
          readers.delete(name);
          return;
        }
      }
      leaving.abort();
      await world.sleep(PATIENCE);
    }
  }

  /** Checks one event of a stream, and gives its generation. */
  #look(
    event: Received<StreamResponse>,
    { taskId, name, last, isFirst }: { taskId: string; name: string; last: number; isFirst: boolean },
  ): number {
    const { world, truth } = this.#cluster;
    const generation = generationOf(event) ?? 0;
    const entry = truth.tasks.get(taskId)?.entries[generation - 1];
    if (isFirst) {
      if (last > 0 && generation !== last) world.broken(`${name} came back at ${generation} behind ${last}`);
      if (JSON.stringify(event.task) !== truth.textAt(taskId, generation))
        world.broken(`${name} has another task`);
    } else {
      if (generation !== last + 1) world.broken(`${name} got ${generation} behind ${last}`);
      if (JSON.stringify(event) !== JSON.stringify(entry?.event)) world.broken(`${name} got another event`);
    }
    return generation;
  }
}

function call(): CallContext {
  return {
    tenant: "",
    principal: { id: "" },
    headers: {},
    extensions: new Set(),
    version: "1.0",
    agentUrl: "",
    signal: new AbortController().signal,
    logger: silent,
  };
}

function ends(event: Received<StreamResponse>): boolean {
  const state = ((event.task as Task | undefined) ?? event.statusUpdate)?.status.state;
  return state !== undefined && isTerminal(state);
}

/** Whether another attempt would get the same answer. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof Error &&
    A2AError.from(error).code !== "INTERNAL_ERROR" &&
    A2AError.from(error).code !== "UNAVAILABLE"
  );
}
