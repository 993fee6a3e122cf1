import type { AuthOptions } from "../../auth/auth-options.js";
import type { CallContext } from "../../protocol/call-context.js";
import { A2AError } from "../../protocol/errors.js";
import { operation as rowOf } from "../../protocol/operations.js";
import { unknownTenant } from "../../protocol/unknown-tenant.js";
import type { Interceptor } from "./interceptor.js";

/** The application's rules. */
type AccessRules = Pick<AuthOptions, "authorize" | "tenants">;

/**
 * Asks the application's rules before an operation: first whether the tenant exists, then whether the caller may do this. Both are
 * decided before anything is looked up (§13.1).
 *
 * @returns undefined without rules
 */
export function authorization({ authorize, tenants }: AccessRules): Interceptor | undefined {
  if (authorize === undefined && tenants === undefined) return undefined;
  return async ({ operation, agent, request, call }, proceed) => {
    if (tenants !== undefined && (await isTenant(tenants, call)) !== true)
      throw unknownTenant(rowOf(operation), request);
    if (authorize !== undefined && (await authorize(call, { agent, operation, request })) !== true)
      throw new A2AError("PERMISSION_DENIED");
    return proceed();
  };
}

function isTenant(
  tenants: NonNullable<AccessRules["tenants"]>,
  call: CallContext,
): boolean | Promise<boolean> {
  return typeof tenants === "function" ? tenants(call.tenant, call) : tenants.includes(call.tenant);
}
