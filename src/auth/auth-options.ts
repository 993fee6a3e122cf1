import type { CallContext, Principal } from "../protocol/call-context.js";
import type { OperationName, OperationTypes } from "../protocol/operations.js";
import type { Reasons } from "./challenge.js";
import type { IncomingRequest } from "./incoming-request.js";
import type { ScopeRule } from "./scope-rule.js";
import type { Verifier } from "./verifier.js";

/** What a caller is about to do. */
export interface Access {
  /** Path of the agent on the server; `""` at the root. */
  readonly agent: string;
  readonly operation: OperationName;
  /** The operation's request, valid by the schema. Whether a task that it names exists is not known yet. */
  readonly request: OperationTypes[OperationName]["request"];
}

/** A caller who was turned away. It holds no credentials. */
export interface Denial {
  /** Path of the agent on the server; `""` at the root. */
  readonly agent: string;
  /** What the caller wanted. */
  readonly operation: OperationName | undefined;
  readonly code: "UNAUTHENTICATED" | "PERMISSION_DENIED";
  /** What was wrong with the credentials, by scheme; empty when there were none, or something else was wrong. */
  readonly reasons: Reasons;
  /** Who it was, as far as that is known. */
  readonly principal: Principal;
  /** IP address at the other end of the connection: that of the last proxy, if there is one. */
  readonly address: string | undefined;
}

/** Who may call the agents of a server, and what they may touch. Everything has a default. */
export interface AuthOptions {
  /**
   * What vouches for the callers that use a security scheme, by the name that the scheme has in the agents' cards. Every scheme
   * of a card needs one.
   */
  readonly verifiers?: Readonly<Record<string, Verifier>>;
  /**
   * Finds out who sends a request, instead of what the cards declare. Undefined refuses the request; so does throwing an
   * `A2AError`, with its code.
   */
  readonly authenticate?: (
    request: IncomingRequest,
  ) => Principal | undefined | Promise<Principal | undefined>;
  /**
   * Asked before every operation: true lets it happen, false answers PERMISSION_DENIED, and an `A2AError` answers as it says
   * (§13.1, §7.5). Which tasks exist for the caller is the business of `scope`.
   */
  readonly authorize?: (call: CallContext, access: Access) => boolean | Promise<boolean>;
  /** Whose tasks a call may touch; by default those of its principal in its tenant. It is asked often and must not wait. */
  readonly scope?: ScopeRule;
  /**
   * The tenants that there are, `""` for calls that name none; or what says whether a caller's tenant is one. By default every
   * name is a tenant, each with tasks of its own.
   */
  readonly tenants?: readonly string[] | ((tenant: string, call: CallContext) => boolean | Promise<boolean>);
  /** What the credentials are for, as told to callers who have none; the name of the agent by default. */
  readonly realm?: string;
  /** Told of every caller who was turned away: for audits, and for slowing down who tries too often. */
  readonly audit?: (denial: Denial) => void;
}

/**
 * Looks at options before anything goes by them.
 * @throws TypeError naming the option that cannot be right
 */
export function checkAuthOptions(options: AuthOptions): void {
  const { verifiers, authenticate, tenants } = options;
  if (verifiers !== undefined && authenticate !== undefined) {
    throw new TypeError("auth: give verifiers for the schemes of the card, or authenticate, not both");
  }
  for (const name of ["authenticate", "authorize", "scope", "audit"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw new TypeError(`auth.${name} must be a function`);
  }
  // A text would be looked through for parts of it.
  if (tenants !== undefined && typeof tenants !== "function" && !Array.isArray(tenants))
    throw new TypeError("auth.tenants must be a list or a function");
}
