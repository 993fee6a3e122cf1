import assert from "node:assert/strict";
import { argumentError, assertObject } from "../../protocol/argument.js";
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

/** The store to test, and the test runner. */
export interface StoreContract {
  /** Part of the names of the tests. */
  readonly name: string;
  /** Registers a test: `test` of `node:test` or of another runner. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Opens an empty store for one test. A store with the part `retention` must have these settings. */
  readonly open: (settings: StoreSettings) => OpenedStore | Promise<OpenedStore>;
  /** The optional parts that the store has; none by default. It must name the part of each optional interface that the store implements. */
  readonly keeps?: readonly StorePart[] | undefined;
}

/** A store with all optional interfaces. */
type Everything = TaskStore & PushStore & SendLedger & LeaseStore;

/** Cases of every store. */
const tasks: Cases = {
  ...appendCases,
  ...readCases,
  ...largeValueCases,
  ...waitCases,
  ...scopeCases,
  ...listCases,
  ...listPagingCases,
};

/** Cases of the optional parts. */
const parts: Readonly<Record<StorePart, Cases<Everything>>> = {
  configs: { ...pushConfigCases, ...pushLeaseCases },
  sends: sendCases,
  leases: { ...taskLeaseCases, ...takeOverCases },
  retention: retentionCases,
  pages: listBytesCases,
};

/**
 * The entries of ended tasks are kept for a minute. Completed tasks are deleted after five minutes, failed ones after ten. Tasks that are
 * stuck in WORKING fail after five.
 */
const settings: StoreSettings = {
  grace: 60_000,
  ttl: { TASK_STATE_COMPLETED: 300_000, TASK_STATE_WORKING: 300_000, TASK_STATE_FAILED: 600_000 },
};

/**
 * Registers the tests that a store must pass: those of every store, and those of the parts in `keeps`. They test the behaviour that the
 * library relies on, and nothing about the implementation.
 *
 * @throws TypeError when `contract` is not an object, `test` or `open` is not a function, or `keeps` names an unknown part
 * @example
 * ```ts
 * storeContract({ name: "my store", test, open: () => ({ store: new MyStore() }) });
 * ```
 */
export function storeContract(contract: StoreContract): void {
  const needs = "storeContract needs { name, test, open }";
  assertObject(contract, needs);
  const { name, test, open, keeps = [] } = contract;
  for (const [member, given] of Object.entries({ test, open }))
    if (typeof given !== "function") throw argumentError(`${needs}: ${member} must be a function`, given);
  for (const part of keeps) {
    if (!Object.hasOwn(parts, part)) throw new TypeError(`A store contract has no part ${part}`);
  }
  const register = (cases: Cases<Everything>) => {
    for (const [what, run] of Object.entries(cases)) test(`${what} [${name}]`, () => attempt(what, run));
  };
  const attempt = async (what: string, run: Case<Everything>) => {
    const { store, elapse = noClock, close } = await open(settings);
    try {
      const scope = { agent: `agent of "${what}"`, tenant: "tenant", owner: "owner" };
      // The author of the store declares its parts in `keeps`. The first case checks those that are interfaces.
      await run({ store: store as Everything, scope, elapse });
    } finally {
      await close?.();
    }
  };
  register({
    "keeps names the optional interfaces that the store implements": async ({ store }) => {
      const found = { configs: keepsConfigs(store), sends: keepsSends(store), leases: keepsLeases(store) };
      for (const [part, has] of Object.entries(found)) {
        assert.equal(has, keeps.includes(part as StorePart), part);
      }
    },
    ...tasks,
  });
  // One part after the other: merged, a case would replace one of the same name in another part.
  for (const part of keeps) register(parts[part]);
}

function noClock(): never {
  throw new TypeError("This part of a store contract needs elapse() from open()");
}
