import type { SecurityScheme } from "../../../../protocol/model.js";

const flowNames: Readonly<Record<string, string>> = {
  authorizationCode: "sign in with a browser (authorization code)",
  deviceCode: "sign in on another device (device code)",
  clientCredentials: "a program's own account (client credentials)",
  implicit: "implicit (deprecated)",
  password: "password (deprecated)",
};

/** A security scheme in words. */
export function schemeText(scheme: SecurityScheme): string {
  const { apiKeySecurityScheme: key, httpAuthSecurityScheme: http, oauth2SecurityScheme: oauth } = scheme;
  const described = Object.values(scheme).find((one) => one !== undefined)?.description;
  return [kindOf(), described].filter(Boolean).join(". ");

  function kindOf(): string {
    if (key) return `API key in the ${key.location} “${key.name}”`;
    if (http) return `HTTP ${http.scheme}${http.bearerFormat ? ` (${http.bearerFormat})` : ""}`;
    if (oauth)
      return `OAuth 2.0: ${Object.keys(oauth.flows)
        .map((flow) => flowNames[flow] ?? flow)
        .join("; ")}`;
    if (scheme.openIdConnectSecurityScheme)
      return `OpenID Connect, described at ${scheme.openIdConnectSecurityScheme.openIdConnectUrl}`;
    return scheme.mtlsSecurityScheme
      ? "Client certificate (mutual TLS)"
      : "A scheme that this page does not know";
  }
}
