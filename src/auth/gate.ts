import type { Principal } from "../protocol/call-context.js";
import { A2AError } from "../protocol/errors.js";
import type { Logger } from "../protocol/logger.js";
import type { AgentCard } from "../protocol/model.js";
import type { OperationName } from "../protocol/operations.js";
import type { AuthOptions, Denial } from "./auth-options.js";
import { Authenticator } from "./authenticator.js";
import { challengeOf, RefusedCredentials } from "./challenge.js";
import type { IncomingRequest } from "./incoming-request.js";
import { openSchemes } from "./open-schemes.js";
import { areValidDetails, isIdentity } from "./verifier.js";
import { withoutSecrets } from "./without-secrets.js";

/** What a gate is made of. */
export interface GateParts {
  /** Path of the agent on the server. */
  readonly agent: string;
  readonly card: AgentCard;
  readonly options: AuthOptions;
  readonly logger: Logger;
}

/** Identifies the caller of a request. */
export type Authenticate = (request: IncomingRequest) => Promise<Principal>;

/** A refused request, as far as it was read. */
export interface Refused {
  readonly operation?: { readonly name: OperationName } | undefined;
  readonly request: IncomingRequest & { readonly principal: Principal };
}

/** Authenticates the callers of one agent, and reports callers that were refused. */
export class Gate {
  /**
   * Undefined when there are {@link problems}. Also undefined when the card declares no scheme and the option `authenticate` is not set:
   * every caller is anonymous then.
   */
  readonly authenticate: Authenticate | undefined;
  /** Value of `WWW-Authenticate` for callers that must authenticate. */
  readonly challenge: string;
  /** Why the agent cannot be served; each sentence begins with the path of a member of its card. */
  readonly problems: readonly string[];
  /** What is allowed but probably not intended. */
  readonly warnings: readonly string[];
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
    const { card, options } = parts;
    const { authenticate, verifiers = {}, realm = card.name } = options;
    const declared = Object.values(card.securitySchemes ?? {});
    this.warnings = [];
    this.problems = [];
    this.challenge = challengeOf(
      declared.map((scheme) => ({ scheme })),
      realm,
    );
    if (authenticate !== undefined) {
      this.authenticate = this.#guarded(async (request) => checkedPrincipal(await authenticate(request)));
    } else if (declared.length > 0) {
      const { schemes, problems } = openSchemes(card, verifiers);
      this.problems = problems;
      if (problems.length > 0) return;
      const authenticator = new Authenticator(card, schemes, realm);
      this.challenge = authenticator.challenge;
      this.authenticate = this.#guarded((request) => authenticator.authenticate(request));
      if ((card.securityRequirements ?? []).length === 0) {
        this.warnings = ["securityRequirements is empty: callers without credentials are admitted"];
      }
    }
  }

  /** Reports a refused caller: to the log, without anything that identifies it (§13.4), and to `audit`. Ignores other errors. */
  readonly denied = ({ code, cause }: A2AError, { operation, request }: Refused): void => {
    const { agent, card, logger, options } = this.#parts;
    if (code !== "UNAUTHENTICATED" && code !== "PERMISSION_DENIED") return;
    const { principal, address } = request;
    const reasons = cause instanceof RefusedCredentials ? cause.reasons : {};
    const denial: Denial = { agent, operation: operation?.name, code, reasons, principal, address };
    logger.warn({ agent: card.name, operation: denial.operation, code, reasons }, "A caller was refused");
    options.audit?.(denial);
  };

  /** Removes credentials from errors, and logs when credentials could not be checked. */
  #guarded(authenticate: Authenticate): Authenticate {
    const { card, logger } = this.#parts;
    return async (request) => {
      try {
        return await authenticate(request);
      } catch (thrown) {
        if (thrown instanceof A2AError && thrown.cause instanceof RefusedCredentials) throw thrown;
        const error = withoutSecrets(thrown, request);
        if (error.code === "UNAVAILABLE") {
          logger.error({ agent: card.name, err: error.cause }, "Credentials cannot be checked");
        }
        throw error;
      }
    };
  }
}

/** @throws A2AError UNAUTHENTICATED when the value is not a principal */
function checkedPrincipal(principal: Principal | undefined): Principal {
  if (principal === undefined || principal === null) throw new A2AError("UNAUTHENTICATED");
  const { id, scopes, claims } = Object(principal) as { readonly [Member in keyof Principal]?: unknown };
  if ((id === "" && areValidDetails(scopes, claims)) || isIdentity(principal)) return principal;
  throw new A2AError("UNAUTHENTICATED", undefined, {
    cause: new RefusedCredentials({ authenticate: "identity" }),
  });
}
