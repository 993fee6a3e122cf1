import assert from "node:assert/strict";
import type { SendLedger } from "../../stores/send-ledger.js";
import type { TaskStore } from "../../stores/task-store.js";
import { copyOf } from "./entries.js";
import type { Cases } from "./opened-store.js";

const one = { node: "one", duration: 1000 };
const two = { node: "two", duration: 1000 };
const outcome = { taskId: "task-1", generation: 3 };

/** Records of idempotent sends. */
export const sendCases: Cases<SendLedger & TaskStore> = {
  "IDEM-03: the outcome of a send is stored for all nodes": async ({ store, elapse, scope }) => {
    assert.equal(await store.claimSend(scope, "k", "f", one), undefined);
    await store.settleSend(scope, "k", outcome);
    await elapse(5000);
    for (const lease of [one, two]) {
      assert.deepEqual(copyOf(await store.claimSend(scope, "k", "f", lease))?.outcome, outcome);
      assert.equal((await store.claimSend(scope, "k", "other", lease))?.fingerprint, "f");
    }
  },

  "an outcome may be a message": async ({ store, scope }) => {
    const reply = {
      messageId: "m",
      role: "ROLE_AGENT" as const,
      parts: [{ text: "a" }, { data: { b: [1] } }],
    };
    await store.claimSend(scope, "k", "f", one);
    await store.settleSend(scope, "k", { reply });
    assert.deepEqual(copyOf(await store.claimSend(scope, "k", "f", two))?.outcome, { reply });
  },

  "a send without an outcome belongs to its node until the lease expires; claiming again renews the lease":
    async ({ store, elapse, scope }) => {
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
      assert.equal(
        (await store.claimSend(scope, "k", "f", one))?.fingerprint,
        "f",
        "the other node has claimed it",
      );
    },

  "the first outcome of a send is kept, even if a node later records another one or releases the send":
    async ({ store, elapse, scope }) => {
      await store.claimSend(scope, "k", "f", one);
      await elapse(1000);
      assert.equal(await store.claimSend(scope, "k", "f", two), undefined);
      await store.settleSend(scope, "k", outcome);
      await store.settleSend(scope, "k", { taskId: "task-2", generation: 1 });
      assert.deepEqual(copyOf(await store.claimSend(scope, "k", "f", one))?.outcome, outcome);
      await store.releaseSend(scope, "k");
      assert.deepEqual(copyOf(await store.claimSend(scope, "k", "f", one))?.outcome, outcome);
    },

  "a released send is deleted": async ({ store, scope }) => {
    await store.claimSend(scope, "k", "f", one);
    await store.releaseSend(scope, "k");
    assert.equal(await store.claimSend(scope, "k", "other", two), undefined);
    await store.releaseSend(scope, "none");
  },

  "of several nodes that claim a send concurrently, one gets it": async ({ store, scope }) => {
    const claims = ["a", "b", "c", "d"].map((node) =>
      store.claimSend(scope, "k", "f", { node, duration: 1000 }),
    );
    assert.equal((await Promise.all(claims)).filter((known) => known === undefined).length, 1);
  },

  "the same key in another scope is a different send": async ({ store, scope }) => {
    const scopes = [scope, { ...scope, agent: "a" }, { ...scope, tenant: "t" }, { ...scope, owner: "o" }];
    for (const inScope of scopes) assert.equal(await store.claimSend(inScope, "k", "f", one), undefined);
    await store.settleSend(scope, "k", outcome);
    for (const inScope of scopes.slice(1)) {
      assert.equal((await store.claimSend(inScope, "k", "f", two))?.outcome, undefined);
    }
  },

  "TEN-09: keys are compared exactly, within their scope": async ({ store, scope }) => {
    for (const key of ["key", "KEY", "key ", "", "key\u0000", "\ud800", "\ud801"]) {
      assert.equal(await store.claimSend(scope, key, "f", one), undefined);
    }
    await store.releaseSend({ ...scope, tenant: "other" }, "key");
    assert.ok(await store.claimSend(scope, "key", "f", two));
  },
};
