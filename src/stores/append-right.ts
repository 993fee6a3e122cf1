import { type AppendRight, LeaseConflict } from "./lease-store.js";

/**
 * Checks that the lease on a task allows an append. Without a right, no lease is needed.
 * @param lease the current lease on the task, if there is one
 * @throws LeaseConflict when the right does not allow the append
 */
export function checkRight(
  taskId: string,
  lease: { readonly node: string; readonly token: string } | undefined,
  right: AppendRight | undefined,
): void {
  if (right === undefined) return;
  const isGiven =
    "external" in right
      ? lease !== undefined
      : "lease" in right
        ? lease === undefined || lease.token === right.lease.token
        : lease?.token === right.token;
  if (!isGiven) throw new LeaseConflict(taskId, lease?.node);
}
