import type { SecurityScheme } from "../protocol/model.js";
import { tokenWord } from "./bearer-tokens.js";
import type { Refusal } from "./verifier.js";

/** Why credentials were refused, by the name of their scheme; `scope` when they lack one. */
export type Reasons = Readonly<Record<string, Refusal | "scope">>;

/** The cause of a refusal, by scheme. For logs and audits; it contains nothing of the credentials. */
export class RefusedCredentials extends Error {
  override readonly name = "RefusedCredentials";
  readonly reasons: Reasons;

  constructor(reasons: Reasons) {
    super("The credentials of a request were refused");
    this.reasons = reasons;
  }
}

/** A scheme that callers can use, and remarks on the credentials that were sent for it. */
export interface Challenged {
  readonly scheme: SecurityScheme;
  /** Further parameters, for schemes with tokens only (RFC 6750 §3). */
  readonly remark?: Readonly<Record<string, string>> | undefined;
}

type Parameters = Readonly<Record<string, string>>;

/**
 * The value of `WWW-Authenticate` that offers schemes (RFC 9110 §11.6.1). Schemes that look the same to a caller are
 * named once. Keys and certificates have no registered scheme name; the entry of a key says where it is expected.
 * Without schemes, the value offers Bearer.
 */
export function challengeOf(challenged: readonly Challenged[], realm: string): string {
  const byWord = new Map<string, { word: string; parameters: Parameters }>();
  for (const { scheme, remark } of challenged) {
    const { word, ...own } = parametersOf(scheme);
    const key = JSON.stringify([word.toLowerCase(), own]);
    const { parameters = { realm, ...own } } = byWord.get(key) ?? {};
    const more = tokenWord(scheme) === undefined ? undefined : remark;
    byWord.set(key, { word, parameters: { ...parameters, ...more } });
  }
  const challenges = Array.from(byWord.values(), ({ word, parameters }) => {
    const pairs = Object.entries(parameters).map(([name, value]) => `${name}="${quoted(value)}"`);
    return `${word} ${pairs.join(", ")}`;
  });
  return challenges.length > 0 ? challenges.join(", ") : `Bearer realm="${quoted(realm)}"`;
}

function parametersOf(scheme: SecurityScheme): { word: string } & Parameters {
  const { apiKeySecurityScheme: key, mtlsSecurityScheme: certificate } = scheme;
  if (key !== undefined) return { word: "ApiKey", location: key.location, name: key.name };
  if (certificate !== undefined) return { word: "ClientCertificate" };
  const word = tokenWord(scheme);
  return word === undefined
    ? { word: "Basic", charset: "UTF-8" }
    : { word: word.toLowerCase() === "bearer" ? "Bearer" : word };
}

/** Text inside the quotes of a header; characters that are not allowed there are replaced (§13.4). */
function quoted(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&");
}
