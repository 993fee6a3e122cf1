import type { PushConfig, PushRegistration } from "../../src/stores/push-store.js";
import type { Scope } from "../../src/stores/task-store.js";

export const scope: Scope = { agent: "agent", tenant: "tenant", owner: "owner" };

/** A config of task "task-1". */
export function config(id: string, more: Partial<PushConfig> = {}): PushConfig {
  return { id, taskId: "task-1", url: `https://hooks.example/${id}`, ...more };
}

/** What is stored unless a test says otherwise: an open config at the beginning of the log, held by node "one" for a second. */
export function registration(id: string, more: Partial<PushRegistration> = {}): PushRegistration {
  return {
    config: config(id),
    version: "1.0",
    delivered: 0,
    ended: false,
    lease: { node: "one", duration: 1000 },
    limit: 10,
    ...more,
  };
}
