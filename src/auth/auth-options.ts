import { unknownName } from "../json/unknown-name.js";
import type { CallContext, Principal } from "../protocol/call-context.js";
import type { OperationName, OperationTypes } from "../protocol/operations.js";
import type { Reasons } from "./challenge.js";
import type { IncomingRequest } from "./incoming-request.js";
import type { ScopeRule } from "./scope-rule.js";
import type { Verifier } from "./verifier.js";

/** The operation that a caller wants to use. */
export interface Access {
  /** Path of the agent on the server; `""` at the root. */
  readonly agent: string;
  /** Name of the operation, such as `SendMessage`. */
  readonly operation: OperationName;
  /** The operation's request, valid by the schema. The task that it names may not exist. */
  readonly request: OperationTypes[OperationName]["request"];
}

/** A refused caller. Contains none of its credentials. */
export interface Denial {
  /** Path of the agent on the server; `""` at the root. */
  readonly agent: string;
  /** The operation that the caller requested; undefined when it is not known. */
  readonly operation: OperationName | undefined;
  /** `UNAUTHENTICATED` without valid credentials; `PERMISSION_DENIED` when the caller is not allowed, or lacks a scope. */
  readonly code: "UNAUTHENTICATED" | "PERMISSION_DENIED";
  /**
   * Why the credentials were refused, by scheme; empty when there were none, or when another rule refused the caller. An invalid principal
   * that the option `authenticate` returned is listed as `authenticate`.
   */
  readonly reasons: Reasons;
  /** The caller, as far as it is known. */
  readonly principal: Principal;
  /**
   * IP address of the caller: the other end of the connection or, with `trustProxy`, the last address that the proxy names.
   * Undefined when unknown.
   */
  readonly address: string | undefined;
}

/**
 * Who may call the agents of a server, and which tasks each caller may access. All options are optional.
 *
 * @example
 * ```ts
 * await serve(agent, { auth: { verifiers: { key: apiKeys({ [aliceKey]: "alice" }) } } });
 * ```
 */
export interface AuthOptions {
  /**
   * Verifiers of the security schemes, by the name of the scheme in the agents' cards. Every scheme of a card needs
   * one, unless `authenticate` is set.
   */
  readonly verifiers?: Readonly<Record<string, Verifier>> | undefined;
  /**
   * Identifies the caller of a request, instead of the card's schemes. To refuse the request, return undefined or throw
   * an `A2AError`.
   */
  readonly authenticate?:
    | ((request: IncomingRequest) => Principal | undefined | Promise<Principal | undefined>)
    | undefined;
  /**
   * Called before every operation: true allows it, any other value answers PERMISSION_DENIED, and an `A2AError` that it
   * throws is the answer itself (§13.1, §7.5). Which tasks the caller can see is decided by `scope`.
   */
  readonly authorize?: ((call: CallContext, access: Access) => boolean | Promise<boolean>) | undefined;
  /**
   * Decides whose tasks a call may access; by default those of its principal in its tenant. It is called often and must
   * be synchronous.
   */
  readonly scope?: ScopeRule | undefined;
  /**
   * The existing tenants (`""` for calls that name none), or a function that decides. By default every name is a tenant
   * with tasks of its own.
   */
  readonly tenants?:
    | readonly string[]
    | ((tenant: string, call: CallContext) => boolean | Promise<boolean>)
    | undefined;
  /** Realm in challenges to callers that must authenticate; the agent's name by default. */
  readonly realm?: string | undefined;
  /** Called for every request to an agent that is refused with a code of {@link Denial}: for audits, and to limit failed attempts. */
  readonly audit?: ((denial: Denial) => void) | undefined;
}

/** The name of every option. */
const names: Readonly<Record<keyof AuthOptions, true>> = {
  ...{ verifiers: true, authenticate: true, authorize: true, scope: true, tenants: true },
  ...{ realm: true, audit: true },
};

/**
 * Validates options before they are used.
 * @throws TypeError naming the invalid option
 */
export function checkAuthOptions(options: AuthOptions): void {
  const unknown = unknownName(options, names, "auth");
  if (unknown !== undefined) throw new TypeError(unknown);
  const { verifiers, authenticate, tenants } = options;
  if (verifiers !== undefined && authenticate !== undefined) {
    throw new TypeError("auth: set verifiers for the schemes of the card, or authenticate, not both");
  }
  for (const [name, verifier] of Object.entries(verifiers ?? {})) {
    if (typeof verifier?.open === "function") continue;
    throw new TypeError(
      `auth.verifiers.${name} is not a verifier: use apiKeys, bearerTokens, jsonWebTokens or another function of a2a-parley/server`,
    );
  }
  for (const name of ["authenticate", "authorize", "scope", "audit"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw new TypeError(`auth.${name} must be a function`);
  }
  // A string would be searched for substrings.
  if (tenants !== undefined && typeof tenants !== "function" && !Array.isArray(tenants))
    throw new TypeError("auth.tenants must be a list or a function");
}
