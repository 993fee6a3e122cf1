import { Engine } from "../../src/engine/engine.js";
import type { EngineOptions } from "../../src/engine/engine-options.js";
import { Leases } from "../../src/engine/leases/leases.js";
import type {
  AgentCard,
  AgentDefinition,
  CallContext,
  Open,
  Received,
  Task,
  TaskState,
} from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import type { LeaseStore, TaskStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { NotingLogger } from "../push/desk.js";
import { plainCard, text } from "../support/peer.js";

const card: AgentCard = {
  name: "Clocked",
  description: "",
  version: "1",
  supportedInterfaces: [],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

/** Milliseconds of a lease of these engines. */
export const LEASE = 3000;

interface ClockedOptions extends Partial<Omit<EngineOptions, "clock">> {
  readonly clock?: ManualClock;
  readonly attempts?: number;
}

let nodes = 0;

/** An engine whose time is moved by the test. */
export class ClockedEngine {
  readonly clock: ManualClock;
  readonly logger = new NotingLogger();
  readonly engine: Engine;
  /** Name under which the engine holds leases. */
  readonly node: string;
  readonly call: CallContext;

  constructor(
    store: TaskStore & LeaseStore,
    execute: AgentDefinition["execute"],
    { clock = new ManualClock(), attempts = 1, ...more }: ClockedOptions = {},
  ) {
    const { logger } = this;
    this.clock = clock;
    nodes += 1;
    const lease = { node: `node ${nodes}`, duration: LEASE };
    this.node = lease.node;
    let ids = 0;
    this.engine = new Engine({
      ...{
        agent: { card: plainCard, execute, attempts },
        card,
        cardAt: () => card,
        store,
        lease,
        logger,
        clock,
      },
      leases: new Leases({ store, agent: "", lease, clock, logger }),
      newId: () => {
        ids += 1;
        return `${lease.node}-${ids}`;
      },
      scopeOf: ({ tenant, principal }) => ({ agent: "", tenant, owner: principal.id }),
      ...more,
    });
    this.call = this.caller("");
    this.engine.start();
  }

  /** What the engine knows of a caller of that name. */
  caller(id: string): CallContext {
    return {
      ...{ tenant: "", principal: { id }, headers: {}, extensions: new Set(), version: protocolVersion },
      ...{ agentUrl: "", signal: new AbortController().signal, logger: this.logger },
    };
  }

  /** Sends a message without waiting for what comes of it; gives its task. */
  async begin(words: string, call = this.call): Promise<Received<Task>> {
    const request = text(words, { configuration: { returnImmediately: true } });
    const { task } = await this.engine.sendMessage(request as never, call);
    if (task === undefined) throw new Error("A task was expected");
    return task;
  }

  async state(id: string, call = this.call): Promise<Open<TaskState>> {
    return (await this.engine.getTask({ id }, call)).status.state;
  }

  /** Moves the clock on in small steps, and lets everything happen that follows from each. */
  async pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 50) {
      this.clock.advance(Math.min(left, 50));
      await turns();
    }
  }
}

/** Resolves when nothing more follows from what has happened, but for another event. */
export async function turns(count = 4): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
