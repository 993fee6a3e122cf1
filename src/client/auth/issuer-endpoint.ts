import { parseUrl } from "../../net/url.js";
import { ClientError, displayUrl } from "../client-error.js";
import type { CredentialNeed } from "./credentials.js";

/**
 * The endpoint to use: the one in the caller's options, or else the one that the card or the issuer's metadata names, whose origin must be
 * allowed.
 * @param named `""` if they name none
 * @throws ClientError ORIGIN_NOT_ALLOWED or CARD_INVALID for the named endpoint; TypeError when the caller's is not a URL
 */
export function endpoint(own: string | undefined, named: string, { allows }: CredentialNeed): URL {
  // A program without types may pass null: it must not stand for the named endpoint, whose origin would then not be checked.
  const url = parseUrl(own === undefined ? named : own);
  if (url === undefined && own !== undefined)
    throw new TypeError("An OAuth endpoint in the options of a credential provider is not a URL");
  if (url === undefined)
    throw new ClientError(
      "CARD_INVALID",
      "An OAuth endpoint is missing or not a URL in the card or in the issuer's metadata",
    );
  if (own !== undefined || allows(url)) return url;
  throw new ClientError(
    "ORIGIN_NOT_ALLOWED",
    `The client's secrets are not sent to ${displayUrl(url)}: its origin is not allowed. Add it to "origins", or name the endpoint in the provider's options`,
  );
}
