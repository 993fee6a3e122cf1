import assert from "node:assert/strict";
import { keepsLeases, type LeaseStore } from "../../stores/lease-store.js";
import { keepsConfigs, type PushStore } from "../../stores/push-store.js";
import { keepsSends, type SendLedger } from "../../stores/send-ledger.js";
import type { TaskStore } from "../../stores/task-store.js";
import { appendCases } from "./append.js";
import { listCases } from "./list.js";
import { largeValueCases, listBytesCases } from "./list-bytes.js";
import { listPagingCases } from "./list-paging.js";
import type { Case, Cases, OpenedStore, StorePart, StoreSettings } from "./opened-store.js";
import { pushConfigCases } from "./push-configs.js";
import { pushLeaseCases } from "./push-leases.js";
import { readCases, waitCases } from "./read.js";
import { retentionCases } from "./retention.js";
import { scopeCases } from "./scopes.js";
import { sendCases } from "./sends.js";
import { taskLeaseCases } from "./task-leases.js";
import { takeOverCases } from "./task-take-over.js";

/** What is to be proven, and with what. */
export interface StoreContract {
  /** Appears in the names of the tests. */
  readonly name: string;
  /** Registers a test: `test` of `node:test`, or what another runner has in its place. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Opens an empty store for one test; with `retention` among its parts, as the settings say. */
  readonly open: (settings: StoreSettings) => OpenedStore | Promise<OpenedStore>;
  /** What the store keeps besides tasks; nothing unless given. */
  readonly keeps?: readonly StorePart[];
}

/** A store with all parts. */
type Everything = TaskStore & PushStore & SendLedger & LeaseStore;

/** What every store is. */
const tasks: Cases = {
  ...appendCases,
  ...readCases,
  ...largeValueCases,
  ...waitCases,
  ...scopeCases,
  ...listCases,
  ...listPagingCases,
};

/** What a store may be besides. */
const parts: Readonly<Record<StorePart, Cases<Everything>>> = {
  configs: { ...pushConfigCases, ...pushLeaseCases },
  sends: sendCases,
  leases: { ...taskLeaseCases, ...takeOverCases },
  retention: retentionCases,
  pages: listBytesCases,
};

/** Entries stay for a minute; what ended goes after five or ten, what is stuck is failed after five. */
const settings: StoreSettings = {
  grace: 60_000,
  ttl: { TASK_STATE_COMPLETED: 300_000, TASK_STATE_WORKING: 300_000, TASK_STATE_FAILED: 600_000 },
};

/**
 * Proves a store to be one: registers a test for everything that the rest of the library relies on, and none for how it is done.
 * A store that passes can stand in for any other.
 *
 * @throws TypeError when `keeps` names something unknown
 */
export function storeContract({ name, test, open, keeps = [] }: StoreContract): void {
  for (const part of keeps) {
    if (!Object.hasOwn(parts, part)) throw new TypeError(`A store contract has no part ${part}`);
  }
  const prove = (cases: Cases<Everything>) => {
    for (const [what, run] of Object.entries(cases)) test(`${what} [${name}]`, () => attempt(what, run));
  };
  const attempt = async (what: string, run: Case<Everything>) => {
    const { store, elapse = noClock, close } = await open(settings);
    try {
      const scope = { agent: `agent of "${what}"`, tenant: "tenant", owner: "owner" };
      // Which parts a store has is what its owner says, and what the first case checks.
      await run({ store: store as Everything, scope, elapse });
    } finally {
      await close?.();
    }
  };
  prove({
    "the contract covers all that the store has": async ({ store }) => {
      const found = { configs: keepsConfigs(store), sends: keepsSends(store), leases: keepsLeases(store) };
      for (const [part, has] of Object.entries(found)) {
        assert.equal(has, keeps.includes(part as StorePart), part);
      }
    },
    ...tasks,
    ...Object.assign({}, ...keeps.map((part) => parts[part])),
  });
}

function noClock(): never {
  throw new TypeError("This part of a store contract needs elapse() from open()");
}
