import assert from "node:assert/strict";
import type { SendLedger } from "../../stores/send-ledger.js";
import type { TaskStore } from "../../stores/task-store.js";
import { copyOf, userMessage } from "./entries.js";
import type { Cases } from "./opened-store.js";

const outcome = { taskId: "task-1", generation: 3 };

/** Idempotency keys: who comes first has them. */
export const sendCases: Cases<TaskStore & SendLedger> = {
  "IDEM-03: the first send of a key has it, and a later one is told what is known": async ({
    store,
    scope,
  }) => {
    assert.equal(await store.claimSend(scope, "key", "print"), undefined);
    const taken = await store.claimSend(scope, "key", "other");
    assert.deepEqual([taken?.fingerprint, taken?.outcome], ["print", undefined]);
    await store.settleSend(scope, "key", outcome);
    const known = await store.claimSend(scope, "key", "print");
    assert.deepEqual(copyOf([known?.fingerprint, known?.outcome]), ["print", outcome]);
  },

  "what came of a send can be a plain message": async ({ store, scope }) => {
    const reply = { ...userMessage("m"), role: "ROLE_AGENT" as const, metadata: { text: "\u0000" } };
    await store.claimSend(scope, "key", "print");
    await store.settleSend(scope, "key", { reply });
    assert.deepEqual(copyOf((await store.claimSend(scope, "key", "print"))?.outcome), { reply });
  },

  "IDEM-03: of several sends at the same time one has the key": async ({ store, scope }) => {
    const claims = ["a", "b", "c", "d"].map((print) => store.claimSend(scope, "key", print));
    const records = await Promise.all(claims);
    assert.equal(records.filter((record) => record === undefined).length, 1);
  },

  "a send that was released can be tried again": async ({ store, scope }) => {
    await store.claimSend(scope, "key", "print");
    await store.releaseSend(scope, "key");
    await store.releaseSend(scope, "never claimed");
    assert.equal(await store.claimSend(scope, "key", "print"), undefined);
  },

  "TEN-09: keys are those of their scope, to the letter": async ({ store, scope }) => {
    await store.claimSend(scope, "key", "print");
    for (const key of ["KEY", "key ", "", "key\u0000", "\ud800", "\ud801"]) {
      assert.equal(await store.claimSend(scope, key, "print"), undefined);
    }
    assert.equal(await store.claimSend({ ...scope, owner: "other" }, "key", "print"), undefined);
    await store.releaseSend({ ...scope, tenant: "other" }, "key");
    assert.ok(await store.claimSend(scope, "key", "print"));
  },
};
