import type { CardInput } from "a2a-parley";
import { type AuthOptions, apiKeys, bearerTokens } from "a2a-parley/server";
import type { Settings } from "./settings.js";

/** The authentication that the settings require: the security members of the card, and the verifiers. */
export function identity({ auth, extendedCard }: Settings): { card: Partial<CardInput>; auth: AuthOptions } {
  if (auth === "api-key") {
    const key = { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } };
    return {
      card: { securitySchemes: { key }, securityRequirements: [{ schemes: { key: { list: [] } } }] },
      auth: { verifiers: { key: apiKeys({ "alice-key": "alice", "bob-key": "bob" }) } },
    };
  }
  if (auth === "none" && extendedCard !== "auth") return { card: {}, auth: {} };
  const bearer = { httpAuthSecurityScheme: { scheme: "bearer" } };
  const required = { schemes: { bearer: { list: [] } } };
  return {
    card: {
      securitySchemes: { bearer },
      // An empty entry admits callers without a token. Callers with a token are identified by it.
      securityRequirements: auth === "none" ? [required, {}] : [required],
    },
    auth: { verifiers: { bearer: bearerTokens({ "alice-token": "alice", "bob-token": "bob" }) } },
  };
}
