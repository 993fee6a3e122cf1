import type { Scope } from "../../src/stores/task-store.js";

export const scope: Scope = { agent: "agent", tenant: "tenant", owner: "owner" };
