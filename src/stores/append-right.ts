import { type AppendRight, LeaseConflict } from "./lease-store.js";

/**
 * Checks that a task may be written in a right.
 * @param hold the lease that is on the task, if there is one
 * @throws LeaseConflict when it may not
 */
export function checkRight(
  taskId: string,
  hold: { readonly node: string; readonly token: string } | undefined,
  right: AppendRight | undefined,
): void {
  if (right === undefined) return;
  const isGiven =
    "guest" in right
      ? hold !== undefined
      : "lease" in right
        ? hold === undefined || hold.token === right.lease.token
        : hold?.token === right.token;
  if (!isGiven) throw new LeaseConflict(taskId, hold?.node);
}
