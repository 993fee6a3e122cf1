import type { CallContext } from "./call.js";

/** Whose tasks a call may touch, apart from the agent. Both parts are opaque and compared exactly. */
export interface Ownership {
  readonly owner: string;
  readonly tenant: string;
}

/**
 * Decides whose tasks a call may touch: those of the same owner in the same tenant. What it answers is the owner of the tasks
 * that the call makes, too. For others they do not exist (AUTHZ-04, AUTHZ-05).
 */
export type ScopeRule = (call: CallContext) => Ownership;

/** The rule unless another is given: every principal owns its tasks, and tenants are apart (AUTHZ-05, TEN-09). */
export function ownerAndTenant({ principal, tenant }: CallContext): Ownership {
  return { owner: principal.id, tenant };
}
