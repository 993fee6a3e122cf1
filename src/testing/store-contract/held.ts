import assert from "node:assert/strict";
import { type HeldTask, LeaseConflict, type TaskLease } from "../../stores/lease-store.js";
import type { Scope } from "../../stores/task-store.js";
import { taskId } from "./entries.js";

/** A second for node "one", a second for node "two". */
export const one: TaskLease = { node: "one", duration: 1000, token: "one-1" };
export const two: TaskLease = { node: "two", duration: 1000, token: "two-1" };

/** The task of these tests under a lease. */
export function held(scope: Scope, token: string): HeldTask {
  return { scope, taskId, token };
}

/** Fails unless the append is refused because of who holds the task, and gives who that was said to be. */
export async function refusedBy(appended: Promise<number>): Promise<string | undefined> {
  const error = await appended.then(
    () => assert.fail("the append was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof LeaseConflict);
  return error.holder;
}
