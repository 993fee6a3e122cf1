import { decide } from "../async/decision.js";
import { isLonger } from "../protocol/byte-length.js";
import type { CallContext } from "../protocol/call-context.js";
import { A2AError } from "../protocol/errors.js";

/** Whose tasks a call may touch, apart from the agent. Both parts are opaque and compared exactly. */
export interface Ownership {
  readonly owner: string;
  readonly tenant: string;
}

/**
 * Decides whose tasks a call may touch: those of the same owner in the same tenant. What it answers is the owner of the tasks
 * that the call makes, too. For others they do not exist (§3.3.2, §13.1).
 */
export type ScopeRule = (call: CallContext) => Ownership;

/** The rule unless another is given: every principal owns its tasks, and tenants are apart (§13.1). */
export function ownerAndTenant({ principal, tenant }: CallContext): Ownership {
  return { owner: principal.id, tenant };
}

/** Bytes of UTF-8 that owner and tenant have together at most. Stores keep them in an index, whose entries have a bound. */
const MAX_SCOPE = 2048;

/**
 * A rule whose answers are checked. An owner or tenant that is not named would be the same one for all such calls.
 * @throws TypeError from the rule that it makes, when owner or tenant is no text; A2AError PERMISSION_DENIED when they are too
 * long, and INTERNAL_ERROR when the rule fails
 */
export function checkedRule(rule: ScopeRule): ScopeRule {
  return (call) => {
    const ownership = rule === ownerAndTenant ? rule(call) : asked(rule, call);
    const { owner, tenant } = ownership;
    if (typeof owner !== "string" || typeof tenant !== "string") {
      throw new TypeError("auth.scope must name an owner and a tenant, as text, and must not be async");
    }
    if (isLonger(owner + tenant, MAX_SCOPE)) {
      throw new A2AError(
        "PERMISSION_DENIED",
        `The identity and the tenant of the caller have more than ${MAX_SCOPE} bytes`,
      );
    }
    return ownership as Ownership;
  };
}

/** What a rule of the application answers; of a promise, which it must not give, a rejection is ignored. */
function asked(rule: ScopeRule, call: CallContext): Partial<Ownership> {
  const ownership = decide({ name: "auth.scope", call: () => rule(call) });
  if (ownership instanceof Promise) ownership.catch(() => undefined);
  const { owner, tenant } = Object(ownership) as Ownership;
  return { owner, tenant };
}
