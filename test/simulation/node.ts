import { Engine } from "../../src/engine/engine.js";
import { Leases } from "../../src/engine/leases.js";
import { silent } from "../../src/logger.js";
import type { AgentCard } from "../../src/model.js";
import { Lanes } from "../../src/push/lanes.js";
import { settlePush } from "../../src/push/options.js";
import { Outbox } from "../../src/push/outbox.js";
import type { Clock } from "../../src/stores/clock.js";
import type { HeldTask } from "../../src/stores/lease-store.js";
import type { Scope } from "../../src/stores/task-store.js";
import { agentOf, type Ledger } from "./agent.js";
import type { Truth } from "./truth.js";
import type { Webhook } from "./webhook.js";
import type { World } from "./world.js";

export const scope: Scope = { agent: "agent", tenant: "", owner: "" };

const LEASE = 6000;
const card: AgentCard = {
  name: "Simulated",
  description: "",
  version: "1",
  supportedInterfaces: [],
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

/** Calls whose answers have no delay of their own: they ask nobody. */
const local = new Set(["hold", "size", "configs", "held", "waiting"]);

/** What all nodes share. */
export interface Surroundings {
  readonly world: World;
  readonly truth: Truth;
  readonly webhook: Webhook;
  readonly ledger: Ledger;
}

/** One process: an engine and an outbox over a store that it reaches through a network that is not to be trusted. */
export class Node implements Clock {
  readonly name: string;
  readonly engine: Engine;
  readonly outbox: Outbox;
  readonly store: Truth;
  readonly #around: Surroundings;
  #isAlive = true;
  #stalledUntil = 0;

  constructor(name: string, around: Surroundings) {
    this.name = name;
    this.#around = around;
    this.store = this.#remote(around.truth);
    const { world, webhook, ledger } = around;
    const lease = { node: name, duration: LEASE };
    const shared = { store: this.store, clock: this, logger: silent };
    const leases = new Leases({ ...shared, agent: scope.agent, lease });
    this.engine = new Engine({
      ...shared,
      agent: agentOf(this, ledger),
      card,
      cardAt: () => card,
      newId: world.newId,
      lease,
      leases,
      scopeOf: () => scope,
    });
    this.outbox = new Outbox(scope.agent, lease, {
      ...shared,
      sender: { send: (record, entry) => webhook.receive(record, entry, this) },
      lanes: { sound: new Lanes(64, 64), failing: new Lanes(64, 64) },
      settings: settlePush({ attempts: 10 ** 6, firstDelay: 0.2, maxDelay: 2 }),
      chance: world.chance,
    });
    this.engine.start();
    this.outbox.start();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get world(): World {
    return this.#around.world;
  }

  now(): number {
    return this.world.now();
  }

  /** Runs something later, when the process is at work then. */
  schedule(delay: number, run: () => void): () => void {
    return this.world.schedule(delay, () => this.#whenAwake(run));
  }

  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.schedule(delay, resolve));
  }

  /** Nothing more happens in the process; what it has sent is on its way. */
  crash(): void {
    this.world.note(`${this.name} crashes`);
    this.#isAlive = false;
  }

  /** Nothing happens in the process for some time. */
  stall(duration: number): void {
    this.world.note(`${this.name} stalls for ${duration}`);
    this.#stalledUntil = this.now() + duration;
  }

  #whenAwake(run: () => void): void {
    if (!this.#isAlive) return;
    const wait = this.#stalledUntil - this.now();
    if (wait > 0) this.world.schedule(wait, () => this.#whenAwake(run));
    else run();
  }

  /** The store as this process sees it. */
  #remote(truth: Truth): Truth {
    return new Proxy(truth, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function" || typeof name !== "string") return value;
        const call = (...args: unknown[]): unknown => value.apply(target, args);
        if (local.has(name)) return call;
        if (name === "wait") return (...args: Parameters<Truth["wait"]>) => this.#wait(truth, args);
        if (name === "watchTasks") return this.#watch(truth);
        return (...args: unknown[]) => this.#ask(name, args, call);
      },
    });
  }

  /** A call over the network: it may take its time, get lost, or be done without an answer. */
  #ask(name: string, args: readonly unknown[], call: (...args: unknown[]) => unknown): Promise<unknown> {
    const { world } = this;
    return new Promise((resolve, reject) => {
      const answer = (give: () => void) => this.schedule(world.delay(30), give);
      if (!this.#isAlive) return;
      if (world.happens(0.01)) {
        world.note(`${this.name} ${name} is lost`);
        answer(() => reject(new Error("The request was lost")));
        return;
      }
      const commit = async () => {
        const isLost = world.happens(0.01);
        try {
          const result = await call(...args);
          world.note(
            `${this.name} ${name} ${brief(args)} -> ${brief([result])}${isLost ? " (answer lost)" : ""}`,
          );
          answer(() => (isLost ? reject(new Error("The answer was lost")) : resolve(result)));
        } catch (error) {
          world.note(`${this.name} ${name} ${brief(args)} refused: ${String(error)}`);
          answer(() => reject(error));
        }
      };
      world.schedule(world.delay(30), () => void commit());
    });
  }

  /** Wake-ups come late, or before there is a reason. */
  async #wait(truth: Truth, [place, taskId, after, signal]: Parameters<Truth["wait"]>): Promise<void> {
    const { world } = this;
    if (world.happens(0.05)) return this.sleep(world.delay(50));
    await truth.wait(place, taskId, after, signal);
    await this.sleep(world.happens(0.1) ? 2000 : world.delay(20));
  }

  #watch(truth: Truth) {
    const { world } = this;
    return (node: string, tell: (task: Pick<HeldTask, "scope" | "taskId">) => void) =>
      truth.watchTasks(node, (task) => {
        const times = world.happens(0.2) ? 0 : world.happens(0.2) ? 2 : 1;
        for (let time = 0; time < times; time += 1) this.schedule(world.delay(20), () => tell(task));
      });
  }
}

/** Arguments and answers, in few words. */
function brief(values: readonly unknown[]): string {
  const text = values.map((value) => JSON.stringify(value, short) ?? "nothing").join(" ");
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function short(name: string, value: unknown): unknown {
  if (name === "scope" || name === "timestamp" || name === "history" || name === "contextId")
    return undefined;
  return value;
}
