import { placeCredential } from "../client/auth/place-credential.js";
import type { SecurityScheme } from "../protocol/model.js";
import { decodeCard } from "../versions/client-codecs.js";
import { ContractFault } from "../versions/version.js";
import { at, type Unchecked } from "./json.js";

/** Credentials of one caller of an agent. */
export interface AuthorizerCredentials {
  /** Where a scheme of the card wants it. */
  readonly bearer?: string;
  /** Where an API key scheme of the card wants it. */
  readonly apiKey?: string;
  /** Headers, whatever the card says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Puts credentials on a request. */
export type Authorizer = (url: URL, headers: Headers, isOther: boolean) => void;

interface Callers {
  readonly credentials?: AuthorizerCredentials;
  readonly otherCredentials?: AuthorizerCredentials;
  /** Origins that may get them, beside that of the card. */
  readonly origins?: readonly string[];
}

/** The schemes of a card of any generation; those of a card that cannot be read are as they are. */
function schemesOf(card: Unchecked): readonly SecurityScheme[] {
  try {
    return Object.values(decodeCard(card, () => undefined).securitySchemes ?? {});
  } catch (thrown) {
    if (!(thrown instanceof ContractFault)) throw thrown;
    return Object.values(Object(at(card, "securitySchemes")));
  }
}

/** Makes what puts the credentials of one caller or the other where the card wants them. */
export function authorizer(card: Unchecked, base: string | undefined, callers: Callers): Authorizer {
  const schemes = schemesOf(card);
  const origins = [...(base === undefined ? [] : [new URL(base).origin]), ...(callers.origins ?? [])];
  return (url, headers, isOther) => {
    if (!origins.includes(url.origin)) return;
    const known = isOther ? callers.otherCredentials : callers.credentials;
    for (const scheme of schemes) {
      const value = scheme.apiKeySecurityScheme === undefined ? known?.bearer : known?.apiKey;
      if (value !== undefined) placeCredential(scheme, value, { url, headers });
    }
    for (const [name, value] of Object.entries(known?.headers ?? {})) headers.set(name, value);
  };
}
