import { decide } from "../async/decision.js";
import { callHook, type HookTimeout } from "../async/hook.js";
import type { Logger } from "../protocol/logger.js";
import type { AuthOptions } from "./auth-options.js";
import type { Verifier } from "./verifier.js";

/** What a guarded hook needs. */
export interface HookDeps {
  readonly logger: Logger;
  /** Limits how long a hook that decides is awaited; without it, until it settles. */
  readonly hookTimeout?: HookTimeout | undefined;
}

/** Names of options for logs, by the function that stands for them. Needed only where the server reads the function from another option. */
export const hookNames = new WeakMap<object, string>();

/**
 * Wraps the hooks in the options. A hook that decides about a caller then fails only with an A2AError, which refuses the caller. A failure
 * of `audit` is logged and has no other effect. The hook `scope` is guarded by `checkedRule`.
 */
export function guardedAuth(options: AuthOptions, { logger, hookTimeout }: HookDeps): AuthOptions {
  const { verifiers, authenticate, authorize, tenants, audit } = options;
  const late = (hook: string) => (err: Error) => logger.error({ err, hook }, "A hook failed");
  return {
    ...options,
    ...(verifiers && { verifiers: guardedVerifiers(verifiers, hookTimeout) }),
    ...(authenticate && {
      authenticate: (request) =>
        decide({
          name: hookNames.get(authenticate) ?? "auth.authenticate",
          call: () => authenticate(request),
          hookTimeout,
        }),
    }),
    ...(authorize && {
      authorize: (call, access) => {
        const name = "auth.authorize";
        return decide({ name, call: () => authorize(call, access), hookTimeout, late: late(name) });
      },
    }),
    ...(typeof tenants === "function" && {
      tenants: (tenant, call) => {
        const name = "auth.tenants";
        return decide({ name, call: () => tenants(tenant, call), hookTimeout, late: late(name) });
      },
    }),
    ...(audit && {
      audit: (denial) => {
        const failed = (err: Error) => logger.error({ err, hook: "auth.audit" }, "A hook failed");
        void callHook({ call: () => audit(denial) }, failed);
      },
    }),
  };
}

function guardedVerifiers(
  verifiers: NonNullable<AuthOptions["verifiers"]>,
  hookTimeout: HookTimeout | undefined,
): NonNullable<AuthOptions["verifiers"]> {
  const entries = Object.entries(verifiers).map(([scheme, verifier]): [string, Verifier] => {
    const { requiredScopes } = verifier;
    const name = `auth.verifiers.${scheme}`;
    const open: Verifier["open"] = (declared) => {
      const probe = verifier.open(declared);
      return (request) => decide({ name, call: () => probe(request), hookTimeout });
    };
    return [scheme, { ...(requiredScopes && { requiredScopes }), open }];
  });
  return Object.fromEntries(entries);
}
