import { placeCredential } from "../client/auth/place-credential.js";
import type { GrpcConnectOptions } from "../client/transports/grpc/grpc-options.js";
import { grpcUrl, isOnHostOf } from "../client/transports/grpc/grpc-url.js";
import { parseUrl } from "../net/url.js";
import type { SecurityScheme } from "../protocol/model.js";
import { decodeCard } from "../versions/decode-card.js";
import { ContractFault } from "../versions/version.js";
import { at, listAt, textAt, type Unchecked } from "./json.js";

/** Credentials of one caller of an agent. */
export interface AuthorizerCredentials {
  /** A token, sent where a scheme of the card expects one. */
  readonly bearer?: string;
  /** A key, sent where an API key scheme of the card expects one. */
  readonly apiKey?: string;
  /** Headers of every request, independent of the card. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Adds credentials to a request: those of the second caller if `isOther`, else those of the main one. */
export type Authorizer = (url: URL, headers: Headers, isOther: boolean) => void;

interface Callers {
  readonly credentials?: AuthorizerCredentials;
  readonly otherCredentials?: AuthorizerCredentials;
  /** Origins that may receive the credentials, besides the card's own. */
  readonly origins?: readonly string[];
  /** Options of gRPC connections, which decide whether an address means TLS. */
  readonly grpc?: GrpcConnectOptions;
}

/** The security schemes of a card of any version; if the card cannot be decoded, its schemes as written. */
function schemesOf(card: Unchecked): readonly SecurityScheme[] {
  try {
    return Object.values(decodeCard(card, () => undefined).securitySchemes ?? {});
  } catch (thrown) {
    if (!(thrown instanceof ContractFault)) throw thrown;
    return Object.values(Object(at(card, "securitySchemes")));
  }
}

/** Origins of gRPC interfaces on the hosts of origins that may receive credentials. gRPC often has its own port, so the origin differs. */
function grpcOriginsOf(
  card: Unchecked,
  allowed: ReadonlySet<string>,
  options: Parameters<typeof grpcUrl>[1],
): string[] {
  return listAt(card, "supportedInterfaces").flatMap((entry) => {
    if (textAt(entry, "protocolBinding").toUpperCase() !== "GRPC") return [];
    const url = grpcUrl(textAt(entry, "url"), options);
    return url !== undefined && isOnHostOf(allowed, url) ? [url.origin] : [];
  });
}

/** Returns a function that adds the credentials of either caller where the card's schemes expect them, on allowed origins only. */
export function authorizer(card: Unchecked, base: string | undefined, callers: Callers): Authorizer {
  const schemes = schemesOf(card);
  const allowed = [...(base === undefined ? [] : [new URL(base).origin]), ...(callers.origins ?? [])];
  const address = { tls: callers.grpc?.tls, base: parseUrl(base ?? "") };
  const origins = [...allowed, ...grpcOriginsOf(card, new Set(allowed), address)];
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
