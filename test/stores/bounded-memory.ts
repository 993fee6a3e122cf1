import assert from "node:assert/strict";
import { A2AError } from "../../src/protocol/errors.js";
import type { TaskState } from "../../src/protocol/model.js";
import type { MemoryStoreOptions } from "../../src/stores/memory/memory-options.js";
import { MemoryStore } from "../../src/stores/memory.js";
import type { Scope } from "../../src/stores/task-store.js";
import { changed, created, wrote } from "../task-log/entries.js";
import { ManualClock } from "./manual-clock.js";

export const KIB = 1024;
export const lease = { node: "node", duration: 60_000 };
export const at = (owner: string, more: Partial<Scope> = {}): Scope => ({
  agent: "",
  tenant: "",
  owner,
  ...more,
});

/** Bounds that hold nothing back; a test sets the one that it is about. */
export function make(bounds: MemoryStoreOptions): { store: MemoryStore; clock: ManualClock } {
  const clock = new ManualClock();
  const lifted = { maxBytes: Number.POSITIVE_INFINITY, maxBytesPerOwner: Number.POSITIVE_INFINITY };
  return { store: new MemoryStore({ clock, ...lifted, ...bounds }), clock };
}

export const text = (kib: number) => ({ artifactId: "a", parts: [{ text: "x".repeat(kib * KIB) }] });

export async function open(store: MemoryStore, scope: Scope, id: string, kib = 0): Promise<void> {
  await store.append(scope, id, 0, [created({ id }), wrote(text(kib), {}, id)]);
}

export async function end(
  store: MemoryStore,
  scope: Scope,
  id: string,
  state: TaskState = "TASK_STATE_COMPLETED",
) {
  const { generation = 0 } = (await store.load(scope, id)) ?? {};
  await store.append(scope, id, generation, [changed(state, { id })]);
}

export async function finish(store: MemoryStore, scope: Scope, id: string, kib = 0): Promise<void> {
  await open(store, scope, id, kib);
  await end(store, scope, id);
}

/** Which of these tasks are there. */
export async function left(store: MemoryStore, scope: Scope, ...ids: string[]): Promise<string[]> {
  const found = await Promise.all(ids.map(async (id) => ((await store.load(scope, id)) ? [id] : [])));
  return found.flat();
}

/** The error of a refusal for want of room. */
export async function refusal(storing: Promise<unknown>): Promise<A2AError> {
  const error = await storing.then(
    () => assert.fail("there was room"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof A2AError);
  assert.equal(error.code, "UNAVAILABLE");
  assert.ok(error.retryAfter);
  return error;
}
