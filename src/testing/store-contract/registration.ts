import type { PushConfig, PushRegistration } from "../../stores/push-store.js";

/** A config of task "task-1". */
export function config(id: string, more: Partial<PushConfig> = {}): PushConfig {
  return { id, taskId: "task-1", url: `https://hooks.example/${id}`, ...more };
}

/** What is stored unless a test says otherwise: an open config at the beginning of the log, held by node "one" for a second. */
export function registration(id: string, more: Partial<PushRegistration> = {}): PushRegistration {
  return {
    config: config(id),
    version: "one",
    delivered: 0,
    ended: false,
    lease: { node: "one", duration: 1000 },
    limit: 10,
    ownerLimit: 100,
    ...more,
  };
}
