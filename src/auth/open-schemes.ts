import type { AgentCard, SecurityScheme } from "../protocol/model.js";
import type { Probe, Verifier } from "./verifier.js";

/** A scheme of a card with its opened verifier. */
export interface OpenScheme {
  readonly name: string;
  readonly scheme: SecurityScheme;
  readonly probe: Probe;
  /** Scopes that its verifier requires of every caller. */
  readonly requiredScopes: readonly string[];
}

/** The schemes of a card by name, and their problems: one sentence each, beginning with the path of the member. */
export interface OpenSchemes {
  readonly schemes: ReadonlyMap<string, OpenScheme>;
  readonly problems: readonly string[];
}

/** Names of HTTP schemes and of scopes are sent in headers (RFC 9110 §5.6.2, RFC 6749 §3.3). */
const WORD = /^[!#$%&'*+.^_`|~\w-]+$/;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Combines the schemes of a card with their verifiers. A card must not declare a scheme that is not checked (§3.3.4).
 */
export function openSchemes(card: AgentCard, verifiers: Readonly<Record<string, Verifier>>): OpenSchemes {
  const schemes = new Map<string, OpenScheme>();
  const problems: string[] = [];
  for (const [name, scheme] of Object.entries(card.securitySchemes ?? {})) {
    const verifier = Object.hasOwn(verifiers, name) ? verifiers[name] : undefined;
    try {
      if (verifier === undefined)
        throw new TypeError(`has no verifier: give one as auth.verifiers.${name}, or auth.authenticate`);
      checkWord(scheme);
      const { requiredScopes = [] } = verifier;
      schemes.set(name, { name, scheme, probe: verifier.open(scheme), requiredScopes });
    } catch (error) {
      problems.push(`securitySchemes.${name} ${(error as Error).message}`);
    }
  }
  return { schemes, problems: [...problems, ...oddScopes(card)] };
}

function checkWord({ httpAuthSecurityScheme: http }: SecurityScheme): void {
  if (http !== undefined && !WORD.test(http.scheme)) {
    throw new TypeError(`has the HTTP scheme ${JSON.stringify(http.scheme)}, which is not a token`);
  }
}

function oddScopes({ securityRequirements = [] }: AgentCard): string[] {
  return securityRequirements.flatMap(({ schemes = {} }, index) =>
    Object.entries(schemes).flatMap(([name, { list = [] }]) =>
      list
        .filter((scope) => !SCOPE.test(scope))
        .map(
          (scope) =>
            `securityRequirements[${index}].schemes.${name} names the scope ${JSON.stringify(scope)}, which no token can carry`,
        ),
    ),
  );
}
