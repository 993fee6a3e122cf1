import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import { storeContract } from "../../src/testing/store-contract/contract.js";
import type { StorePart } from "../../src/testing/store-contract/opened-store.js";
import { pushConfigCases } from "../../src/testing/store-contract/push-configs.js";
import { pushLeaseCases } from "../../src/testing/store-contract/push-leases.js";
import { sendCases } from "../../src/testing/store-contract/sends.js";
import { taskLeaseCases } from "../../src/testing/store-contract/task-leases.js";
import { takeOverCases } from "../../src/testing/store-contract/task-take-over.js";

function registered(...keeps: StorePart[]): string[] {
  const names: string[] = [];
  const open = () => ({ store: new MemoryStore() });
  storeContract({ name: "mine", test: (name) => names.push(name), open, keeps });
  return names;
}

test("a store contract registers every case of every part, under names of their own", () => {
  const optional = [pushConfigCases, pushLeaseCases, sendCases, taskLeaseCases, takeOverCases];
  const count = optional.reduce((sum, cases) => sum + Object.keys(cases).length, 0);
  const names = registered("configs", "sends", "leases");
  assert.equal(names.length - registered().length, count);
  assert.equal(new Set(names).size, names.length);
});
