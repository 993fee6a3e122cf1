import type { CardInput, SecurityRequirement, SecurityScheme } from "../../src/index.js";

/** Schemes as a card declares them, one of each kind. */
export const schemes = {
  bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } },
  basic: { httpAuthSecurityScheme: { scheme: "Basic" } },
  key: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } },
  queryKey: { apiKeySecurityScheme: { location: "query", name: "api_key" } },
  cookieKey: { apiKeySecurityScheme: { location: "cookie", name: "session" } },
  mtls: { mtlsSecurityScheme: {} },
} satisfies Record<string, SecurityScheme>;

/** A card that declares schemes and asks for them: each entry is a list of scheme names, with scopes where they matter. */
export function cardOf(
  securitySchemes: Record<string, SecurityScheme>,
  ...entries: (readonly string[] | Record<string, string[]>)[]
): CardInput {
  return {
    name: "Guarded agent",
    description: "Wants to know who calls.",
    securitySchemes,
    securityRequirements: entries.map(requirement),
  };
}

function requirement(entry: readonly string[] | Record<string, string[]>): SecurityRequirement {
  const scopes = Array.isArray(entry) ? entry.map((name) => [name, []] as const) : Object.entries(entry);
  return { schemes: Object.fromEntries(scopes.map(([name, list]) => [name, { list: [...list] }])) };
}
