import { decide } from "../async/decision.js";
import { isLonger } from "../protocol/byte-length.js";
import type { CallContext } from "../protocol/call-context.js";
import { A2AError } from "../protocol/errors.js";

/** The owner and tenant of tasks. Both are opaque and compared exactly. */
export interface Ownership {
  /** Whose tasks they are: by default the id of the principal. */
  readonly owner: string;
  /** The group of callers that the tasks belong to: by default the tenant of the call. */
  readonly tenant: string;
}

/**
 * Decides whose tasks a call may access: those of the returned owner in the returned tenant. Tasks that the call
 * creates belong to them too. To other callers these tasks do not exist (§3.3.2, §13.1).
 *
 * @example
 * ```ts
 * const scope: ScopeRule = ({ principal: { id, claims }, tenant }) => ({
 *   owner: claims?.team ? `team ${claims.team}` : id,
 *   tenant,
 * });
 * ```
 */
export type ScopeRule = (call: CallContext) => Ownership;

/** The default rule: every principal owns its tasks, and tenants are separate (§13.1). */
export function ownerAndTenant({ principal, tenant }: CallContext): Ownership {
  return { owner: principal.id, tenant };
}

/** Maximum length of owner and tenant together, in UTF-8 bytes. Stores index them, and index entries are limited. */
const MAX_SCOPE = 2048;

/**
 * Validates the answers of a rule. A missing owner or tenant would be the same one for all calls.
 * @throws TypeError from the returned rule when owner or tenant is not a string; A2AError PERMISSION_DENIED when they
 *   are too long, INTERNAL_ERROR when the rule fails, and any A2AError that the rule throws
 */
export function checkedRule(rule: ScopeRule): ScopeRule {
  return (call) => {
    const ownership = rule === ownerAndTenant ? rule(call) : callRule(rule, call);
    const { owner, tenant } = ownership;
    if (typeof owner !== "string" || typeof tenant !== "string") {
      throw new TypeError(
        "auth.scope must return an owner and a tenant, both strings, and must not be async",
      );
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

/** The answer of the application's rule. It must not be a promise; the rejection of one is ignored. */
function callRule(rule: ScopeRule, call: CallContext): Partial<Ownership> {
  const ownership = decide({ name: "auth.scope", call: () => rule(call) });
  if (ownership instanceof Promise) ownership.catch(() => undefined);
  const { owner, tenant } = Object(ownership) as Ownership;
  return { owner, tenant };
}
