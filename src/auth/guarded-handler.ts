import type { CallContext } from "../protocol/call-context.js";
import { A2AError } from "../protocol/errors.js";
import {
  type A2AHandler,
  type HandlerMethod,
  handlerMethod,
  type Operation,
  operations,
} from "../protocol/operations.js";
import { unknownTenant } from "../protocol/unknown-tenant.js";
import type { Access, AuthOptions } from "./auth-options.js";

/** The rules in front of a handler. */
export interface GuardRules extends Pick<AuthOptions, "authorize" | "tenants"> {
  /** Path of the agent on the server. */
  readonly agent: string;
}

type AnyMethod = (request: never, call: CallContext) => unknown;

/**
 * Checks the application's rules before a handler: first whether the tenant exists, then whether the caller may use the
 * operation. Both are checked before any task is read (§13.1). Without rules the handler is returned unchanged.
 */
export function guarded(handler: A2AHandler<CallContext>, rules: GuardRules): A2AHandler<CallContext> {
  if (rules.authorize === undefined && rules.tenants === undefined) return handler;
  const methods = handler as Record<HandlerMethod, AnyMethod>;
  const wrapped = operations.map((row): [HandlerMethod, AnyMethod] => {
    const name = handlerMethod(row);
    const answer: AnyMethod = async (request, call) => {
      await admit(row, request, call, rules);
      return methods[name](request, call);
    };
    const stream: AnyMethod = async function* (request, call) {
      await admit(row, request, call, rules);
      yield* methods[name](request, call) as AsyncIterable<unknown>;
    };
    return [name, row.streaming ? stream : answer];
  });
  return Object.fromEntries(wrapped) as Record<HandlerMethod, AnyMethod> as A2AHandler<CallContext>;
}

async function admit(
  row: Operation,
  request: Access["request"],
  call: CallContext,
  { agent, authorize, tenants }: GuardRules,
): Promise<void> {
  if (tenants !== undefined && (await isTenant(tenants, call)) !== true) throw unknownTenant(row, request);
  if (authorize === undefined) return;
  if ((await authorize(call, { agent, operation: row.name, request })) !== true) {
    throw new A2AError("PERMISSION_DENIED");
  }
}

function isTenant(
  tenants: NonNullable<GuardRules["tenants"]>,
  call: CallContext,
): boolean | Promise<boolean> {
  return typeof tenants === "function" ? tenants(call.tenant, call) : tenants.includes(call.tenant);
}
