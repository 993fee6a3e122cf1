import { isInterrupted, isTerminal } from "../../src/protocol/lifecycle.js";
import type { Backing } from "./backing.js";
import { Caller } from "./caller.js";
import { Host } from "./host.js";
import { Node } from "./node.js";
import { remoteStore } from "./remote-store.js";
import { type Bug, Truth } from "./truth.js";
import { Webhook } from "./webhook.js";
import { Broken, type World } from "./world.js";

const NODES = 3;
const CALLERS = 3;
/** Milliseconds in which things go wrong, and after which they must be right again. */
const ROUGH = 15_000;
const CALM = 120_000;

/** Nodes on one store, their callers, and what goes wrong. */
export class Cluster {
  readonly world: World;
  readonly truth: Truth;
  readonly webhook: Webhook;
  /** Tasks by the readers that have not got their end. */
  readonly readers = new Map<string, string>();
  /** Tasks by the ids of their webhooks. */
  readonly hooks = new Map<string, string>();
  readonly #ledger: { readonly worked: Set<string>; readonly attempts: number };
  readonly #waiting = new Map<Node, Set<(error: Error) => void>>();
  readonly #backing: Backing;
  #nodes: Node[] = [];
  /** Processes that are there, or starting. */
  #hosts = 0;
  #count = 0;

  constructor(world: World, backing: Backing, bug?: Bug) {
    this.world = world;
    this.#backing = backing;
    this.truth = new Truth(this.world, { bug, isSure: backing.isSure });
    this.webhook = new Webhook(this.world);
    this.#ledger = { worked: new Set(), attempts: 1 + Math.floor(this.world.chance() * 3) };
  }

  /**
   * Lets everything happen.
   * @throws Broken when something is not as it must be
   */
  async run(): Promise<void> {
    const { world } = this;
    for (let count = 0; count < NODES; count += 1) this.#start();
    const callers = Array.from({ length: CALLERS }, (_, index) => new Caller(this, `c${index}`));
    const done = new Set<Caller>();
    for (const caller of callers) void caller.run().then(() => done.add(caller));
    this.#trouble();
    const start = world.now();
    await world.run(start + ROUGH);
    world.isRough = false;
    world.note("calm");
    while (this.#hosts < NODES) this.#start();
    while (!(done.size === callers.length && this.#isDone(callers))) {
      if (world.now() > start + CALM) {
        throw new Broken(`there is something left to do: ${this.#left(callers).join(", ")}`);
      }
      await world.run(world.now() + 1000);
    }
    this.#check(callers);
  }

  /** A node that is there; waits for one. */
  async anyNode(): Promise<Node> {
    while (this.#nodes.length === 0) await this.world.sleep(100);
    return this.world.pick(this.#nodes);
  }

  /** Asks a node for something over the network; fails when the node does. */
  at<Answer>(node: Node, ask: () => Promise<Answer>): Promise<Answer> {
    const { world } = this;
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(node);
      if (waiting === undefined) {
        reject(new Error("There is no such node"));
        return;
      }
      waiting.add(reject);
      const answer = (give: () => void) =>
        world.schedule(world.delay(10), () => {
          waiting.delete(reject);
          give();
        });
      node.host.schedule(world.delay(10), () => {
        ask().then(
          (value) => answer(() => resolve(value)),
          (error) => answer(() => reject(error)),
        );
      });
    });
  }

  #start(): void {
    this.#count += 1;
    this.#hosts += 1;
    const name = `n${this.#count}`;
    const host: Host = new Host(name, this.world, () => this.#crashed(host));
    this.world.note(`${name} starts`);
    void this.#serve(host);
  }

  async #serve(host: Host): Promise<void> {
    const { truth, webhook } = this;
    const store = truth.over(await this.#backing.open(host));
    const remote = remoteStore(store, host, this.#backing.isEmbedded);
    const node = new Node({ host, store: remote, webhook, ledger: this.#ledger });
    this.#nodes.push(node);
    this.#waiting.set(node, new Set());
  }

  /** Nodes crash, come back as new ones, and stall, some longer than their leases last. */
  #trouble(): void {
    const { world } = this;
    if (!world.isRough) return;
    if (this.#nodes.length > 0 && world.happens(0.06)) world.pick(this.#nodes).host.crash();
    if (this.#nodes.length > 0 && world.happens(0.08))
      world.pick(this.#nodes).host.stall(Math.floor(world.chance() * 14_000));
    world.schedule(500, () => this.#trouble());
  }

  #crashed(host: Host): void {
    const node = this.#nodes.find((one) => one.host === host);
    this.#nodes = this.#nodes.filter((one) => one !== node);
    this.#hosts -= 1;
    if (node === undefined) return;
    for (const reject of this.#waiting.get(node) ?? []) reject(new Error("The node is gone"));
    this.#waiting.delete(node);
    this.world.schedule(this.world.delay(8000), () => {
      if (this.#hosts < NODES) this.#start();
    });
  }

  #isDone(callers: readonly Caller[]): boolean {
    return this.#left(callers).length === 0;
  }

  /** What has not come to its end. */
  #left(callers: readonly Caller[]): string[] {
    const left: string[] = [];
    for (const [taskId, { entries }] of this.truth.tasks) {
      const last = entries.findLast(({ event }) => event.task ?? event.statusUpdate)?.event;
      const state = (last?.task ?? last?.statusUpdate)?.status.state ?? "TASK_STATE_UNSPECIFIED";
      if (!isTerminal(state) && !isInterrupted(state)) left.push(`${taskId} is ${state}`);
      const caller = callers.find((one) => one.taskId === taskId);
      if (isTerminal(state)) {
        for (const [reader, read] of this.readers) if (read === taskId) left.push(`${reader} is behind`);
      } else {
        for (const id of caller?.accepted ?? [])
          if (!this.#ledger.worked.has(id)) left.push(`${id} was not worked on`);
      }
    }
    for (const [id, taskId] of this.hooks) {
      const { length = 0 } = this.truth.tasks.get(taskId)?.entries ?? [];
      if ((this.webhook.arrived.get(id) ?? 0) !== length)
        left.push(`${id} is at ${this.webhook.arrived.get(id)} of ${length}`);
    }
    return left;
  }

  /** What must hold in the end: each message that was taken in is in its log, once. */
  #check(callers: readonly Caller[]): void {
    for (const { accepted, taskId = "" } of callers) {
      const text = this.truth.textAt(taskId, Number.POSITIVE_INFINITY);
      for (const id of accepted) {
        const count = text.split(`"messageId":"${id}"`).length - 1;
        if (count !== 1) throw new Broken(`${id} is ${count} times in ${taskId}`);
      }
    }
  }
}
