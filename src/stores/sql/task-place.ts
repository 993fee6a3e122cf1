import type { Scope } from "../task-store.js";

/** One text for each task of each scope, within a process. */
export function placeOf({ agent, tenant, owner }: Scope, taskId: string): string {
  return `${agent.length}:${tenant.length}:${owner.length}:${agent}${tenant}${owner}${taskId}`;
}
