import { type AppendRight, LeaseConflict } from "./lease-store.js";

/**
 * Checks that an append may write to a task. An append without a right may always.
 * @param hold the current lease on the task, if there is one
 * @throws LeaseConflict when the right does not allow the append
 */
export function checkRight(
  taskId: string,
  hold: { readonly node: string; readonly token: string } | undefined,
  right: AppendRight | undefined,
): void {
  if (right === undefined) return;
  const isGiven =
    "external" in right
      ? hold !== undefined
      : "lease" in right
        ? hold === undefined || hold.token === right.lease.token
        : hold?.token === right.token;
  if (!isGiven) throw new LeaseConflict(taskId, hold?.node);
}
