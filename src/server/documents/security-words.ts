import type { AgentCard, SecurityScheme } from "../../protocol/model.js";

/** The schemes of the first alternative of a card, by name; none when callers need no credentials (§4.5.1). */
export function requiredSchemes(card: AgentCard): ReadonlyMap<string, SecurityScheme> {
  const [first = []] = alternatives(card);
  const declared = card.securitySchemes ?? {};
  return new Map(
    first.flatMap((name) => {
      const scheme = Object.hasOwn(declared, name) ? declared[name] : undefined;
      return scheme === undefined ? [] : [[name, scheme] as const];
    }),
  );
}

/** The alternatives of which a caller has to satisfy one, each a list of scheme names. Empty when no credentials are needed. */
export function alternatives({ securityRequirements = [] }: AgentCard): readonly (readonly string[])[] {
  const all = securityRequirements.map(({ schemes = {} }) => Object.keys(schemes));
  return all.some((names) => names.length === 0) ? [] : all;
}

/** The credentials that a scheme requires, as a phrase with a full stop. */
export function describeScheme(scheme: SecurityScheme): string {
  const { apiKeySecurityScheme: key, httpAuthSecurityScheme: http } = scheme;
  if (key !== undefined) return `An API key in the ${key.location} "${key.name}".`;
  if (http !== undefined)
    return http.scheme.toLowerCase() === "basic"
      ? "A name and a password (HTTP Basic)."
      : `A token in the header "Authorization: ${http.scheme}".`;
  if (scheme.oauth2SecurityScheme !== undefined) return "An OAuth 2.0 access token.";
  if (scheme.openIdConnectSecurityScheme !== undefined) return "A token of an OpenID Connect login.";
  return "A client certificate (mutual TLS).";
}

/** The description of a scheme by the author of the card; undefined if there is none. */
export function noteOf(scheme: SecurityScheme): string | undefined {
  return Object.values(scheme).find((one) => typeof one?.description === "string")?.description;
}
