import type { AuthOptions } from "../../auth/auth-options.js";
import type { CallContext } from "../../protocol/call-context.js";
import { A2AError } from "../../protocol/errors.js";
import { operation as rowOf } from "../../protocol/operations.js";
import { unknownTenant } from "../../protocol/unknown-tenant.js";
import type { Interceptor } from "./interceptor.js";

/** The rules of the application: the hooks `tenants` and `authorize`. */
type AccessRules = Pick<AuthOptions, "authorize" | "tenants">;

/**
 * Applies the rules of the application before an operation: first whether the tenant exists, then whether the caller may call the operation.
 * Both are decided before the operation reads the store (§13.1).
 *
 * @returns undefined if the application has no rules
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
