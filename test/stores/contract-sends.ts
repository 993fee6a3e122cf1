import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { SendLedger } from "../../src/stores/send-ledger.js";
import { copyOf } from "../task/entries.js";
import { scope } from "./contract-append.js";

/** An empty ledger for one test, and a way to let time pass for it. */
export interface SendLedgerAtTest {
  readonly store: SendLedger;
  /** Milliseconds go by on the clock of the store. */
  elapse(milliseconds: number): void | Promise<void>;
}

const one = { node: "one", duration: 1000 };
const two = { node: "two", duration: 1000 };
const outcome = { taskId: "task-1", generation: 3 };

/**
 * Proves a store to be a `SendLedger`: what idempotent sends rely on.
 *
 * @param name appears in the names of the tests
 */
export function testSendLedger(
  name: string,
  makeStore: (context: TestContext) => SendLedgerAtTest | Promise<SendLedgerAtTest>,
): void {
  test(`IDEM-03: a send that has an outcome is remembered with it, for all nodes [${name}]`, async (t) => {
    const { store, elapse } = await makeStore(t);
    assert.equal(await store.claimSend(scope, "k", "f", one), undefined);
    await store.settleSend(scope, "k", outcome);
    await elapse(5000);
    for (const lease of [one, two]) {
      assert.deepEqual(copyOf(await store.claimSend(scope, "k", "f", lease))?.outcome, outcome);
      assert.equal((await store.claimSend(scope, "k", "other", lease))?.fingerprint, "f");
    }
  });

  test(`an outcome may be a message [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    const reply = {
      messageId: "m",
      role: "ROLE_AGENT" as const,
      parts: [{ text: "a" }, { data: { b: [1] } }],
    };
    await store.claimSend(scope, "k", "f", one);
    await store.settleSend(scope, "k", { reply });
    assert.deepEqual(copyOf(await store.claimSend(scope, "k", "f", two))?.outcome, { reply });
  });

  test(`a send without an outcome belongs to its node until the lease runs out, and renews it [${name}]`, async (t) => {
    const { store, elapse } = await makeStore(t);
    await store.claimSend(scope, "k", "f", one);
    const known = await store.claimSend(scope, "k", "f", two);
    assert.deepEqual([known?.fingerprint, known?.outcome], ["f", undefined]);
    await elapse(900);
    assert.equal(await store.claimSend(scope, "k", "f", one), undefined);
    await elapse(900);
    assert.equal((await store.claimSend(scope, "k", "f", two))?.fingerprint, "f");
    await elapse(100);
    assert.equal((await store.claimSend(scope, "k", "other", two))?.fingerprint, "f", "another message");
    assert.equal(await store.claimSend(scope, "k", "f", two), undefined);
    assert.equal((await store.claimSend(scope, "k", "f", one))?.fingerprint, "f", "it is the other's now");
  });

  test(`a send that is released is forgotten [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    await store.claimSend(scope, "k", "f", one);
    await store.releaseSend(scope, "k");
    assert.equal(await store.claimSend(scope, "k", "other", two), undefined);
    await store.releaseSend(scope, "none");
  });

  test(`of nodes that claim a send at the same time one gets it [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    const claims = ["a", "b", "c", "d"].map((node) =>
      store.claimSend(scope, "k", "f", { node, duration: 1000 }),
    );
    assert.equal((await Promise.all(claims)).filter((known) => known === undefined).length, 1);
  });

  test(`the same key in another scope is another send [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    const scopes = [scope, { ...scope, agent: "a" }, { ...scope, tenant: "t" }, { ...scope, owner: "o" }];
    for (const place of scopes) assert.equal(await store.claimSend(place, "k", "f", one), undefined);
    await store.settleSend(scope, "k", outcome);
    for (const place of scopes.slice(1)) {
      assert.equal((await store.claimSend(place, "k", "f", two))?.outcome, undefined);
    }
  });
}
