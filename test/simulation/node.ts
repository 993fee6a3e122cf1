import { Engine } from "../../src/engine/engine.js";
import { Leases } from "../../src/engine/leases/leases.js";
import { silent } from "../../src/protocol/logger.js";
import type { AgentCard } from "../../src/protocol/model.js";
import { DeliveryQueue } from "../../src/push/delivery-queue.js";
import { resolvePushOptions } from "../../src/push/options.js";
import { Outbox } from "../../src/push/outbox.js";
import { PushConfigRegistry } from "../../src/push/push-configs.js";
import { UrlGuard } from "../../src/push/url-guard/url-guard.js";
import type { LeaseStore } from "../../src/stores/lease-store.js";
import type { PushStore } from "../../src/stores/push-store.js";
import type { SendLedger } from "../../src/stores/send-ledger.js";
import type { Scope, TaskStore } from "../../src/stores/task-store.js";
import { agentOf, type Ledger } from "./agent.js";
import type { Host } from "./host.js";
import type { Webhook } from "./webhook.js";

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

/** A store that keeps everything that nodes have to share. */
export type NodeStore = TaskStore & LeaseStore & PushStore & SendLedger;

/** What a node works with. */
export interface Surroundings {
  readonly host: Host;
  readonly store: NodeStore;
  readonly webhook: Webhook;
  readonly ledger: Ledger;
}

/** An engine and an outbox in one process. */
export class Node {
  readonly host: Host;
  readonly engine: Engine;
  readonly outbox: Outbox;
  readonly store: NodeStore;

  constructor({ host, store, webhook, ledger }: Surroundings) {
    this.host = host;
    this.store = store;
    const { world } = host;
    const lease = { node: host.name, duration: LEASE };
    const shared = { store, clock: host, logger: silent };
    const leases = new Leases({ ...shared, agent: scope.agent, lease });
    const settings = resolvePushOptions({ attempts: 10 ** 6, firstDelay: 0.2, maxDelay: 2 });
    this.outbox = new Outbox(scope.agent, lease, {
      ...shared,
      sender: {
        send: (record, entry) => webhook.receive(record, entry, host),
        locate: async () => ["8.8.8.8"],
        bytesOf: async () => 0,
      },
      queue: new DeliveryQueue({ concurrency: 512, maxBytes: 512 }, host),
      settings,
      chance: world.chance,
    });
    const guard = new UrlGuard({ resolve: async () => ["8.8.8.8"], clock: host });
    this.engine = new Engine({
      ...shared,
      agent: agentOf(host, ledger),
      card,
      cardAt: () => card,
      newId: world.newId,
      lease,
      leases,
      pushConfigs: new PushConfigRegistry({
        store,
        guard,
        outbox: this.outbox,
        limit: 9,
        ownerLimit: 10_000,
        mask: false,
        maxName: Number.POSITIVE_INFINITY,
      }),
      scopeOf: () => scope,
    });
    this.engine.start();
    this.outbox.start();
  }
}
