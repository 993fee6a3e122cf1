import type { Scope } from "../task-store.js";
import type { MemoryTask } from "./memory-task.js";
import { TaskIndex } from "./task-index.js";

/** The tasks of one scope, by id, and their order. Nothing in it knows of other scopes. */
export class ScopeTasks {
  readonly byId = new Map<string, MemoryTask>();
  readonly index = new TaskIndex(this.byId);
  /** Where the store keeps it; the one text that all its tasks refer to. */
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }
}

/** One text per scope and one scope per text: lengths go first, so no part can pass for the end of another. */
export function scopeKey({ agent, tenant, owner }: Scope): string {
  return `${agent.length}:${tenant.length}:${agent}${tenant}${owner}`;
}
