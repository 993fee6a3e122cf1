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

/**
 * A rule whose answers are looked at: an owner or tenant that is not named would be the same one for all such calls.
 * @throws TypeError from the rule that it makes
 */
export function checkedRule(rule: ScopeRule): ScopeRule {
  if (rule === ownerAndTenant) return rule;
  return (call) => {
    const { owner, tenant } = rule(call);
    if (typeof owner === "string" && typeof tenant === "string") return { owner, tenant };
    throw new TypeError("auth.scope must name an owner and a tenant, as text, and must not be async");
  };
}
