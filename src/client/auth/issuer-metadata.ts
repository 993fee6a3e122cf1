import { isJsonObject } from "../../json/json-text.js";
import { fetchOnce, jsonOf, receive } from "../exchange.js";
import type { CredentialNeed } from "./credentials.js";
import { IssuerDeadline } from "./issuer-deadline.js";
import { noToken } from "./oauth-token.js";

/** Endpoints that an issuer names. Those that its metadata lacks are undefined. */
export interface IssuerEndpoints {
  readonly tokenUrl: string | undefined;
  readonly authorizationUrl: string | undefined;
  readonly deviceAuthorizationUrl: string | undefined;
}

/** Maximum bytes of the metadata. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads the metadata of an issuer (OpenID Connect Discovery 1.0, §4).
 * @param url URL of the metadata, as the card has it in `openIdConnectUrl`
 * @throws ClientError CREDENTIALS_MISSING for a status other than 2xx; UNREACHABLE, CONNECTION_LOST, TIMEOUT, RESPONSE_TOO_LARGE, or
 * INVALID_RESPONSE for text that is not JSON; the ClientError that `fetch` rejects with; the reason of the signal
 */
export async function issuerEndpoints(
  url: URL,
  { fetch, signal }: Pick<CredentialNeed, "fetch" | "signal">,
): Promise<IssuerEndpoints> {
  const deadline = new IssuerDeadline(signal);
  try {
    const headers = new Headers({ Accept: "application/json" });
    const response = await fetchOnce(fetch, { method: "GET", url, headers }, deadline);
    const incoming = await receive(response, url, MAX_BYTES, deadline);
    if (!response.ok) throw noToken(url, `the issuer's metadata is not available (HTTP ${response.status})`);
    const metadata = jsonOf(incoming, "the metadata of an issuer");
    const text = (name: string): string | undefined => {
      const value = isJsonObject(metadata) ? metadata[name] : undefined;
      return typeof value === "string" ? value : undefined;
    };
    return {
      tokenUrl: text("token_endpoint"),
      authorizationUrl: text("authorization_endpoint"),
      deviceAuthorizationUrl: text("device_authorization_endpoint"),
    };
  } finally {
    deadline.close();
  }
}
