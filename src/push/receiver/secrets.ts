import { createHash, timingSafeEqual } from "node:crypto";
import { headers } from "../request-headers.js";
import { headerOf, type PushRequest } from "./push-request.js";

/**
 * The secrets that were registered with a push config. Its notifications must contain them. Give each config its own (§13.2).
 */
export interface Secrets {
  /**
   * `token` of the config. It arrives in `X-A2A-Notification-Token` or `A2A-Notification-Token`; if both are present, both must match. If
   * both are absent, `Authorization: Bearer …` or `Token …` must have it, which some agents of 0.1 send.
   */
  readonly token?: string;
  /**
   * `authentication` of the config as it is sent: scheme, space, credentials. For a config of version `0.1-flat` with a scheme other than
   * Bearer or Token, the credentials alone.
   */
  readonly authorization?: string;
  /** Header of `authorization` when the config names one, as version `0.1-flat` allows; `Authorization` by default. */
  readonly header?: string;
}

/** Whether there is a secret that authenticates the sender. */
export function hasSecret({ token, authorization }: Secrets): boolean {
  return Boolean(token || authorization);
}

/**
 * Whether a request contains all registered secrets (§13.2). The time of the comparison does not reveal how close a guess was.
 */
export function matchesSecrets(request: PushRequest, secrets: Secrets): boolean {
  const { token, authorization, header = AUTHORIZATION } = secrets;
  const name = header.toLowerCase();
  const fold = name === AUTHORIZATION ? foldScheme : foldPrefix;
  const isAuthorized = !authorization || isSame(headerOf(request, name) ?? "", authorization, fold);
  return (!token || hasToken(request, token)) && isAuthorized;
}

const AUTHORIZATION = "authorization";

function hasToken(request: PushRequest, token: string): boolean {
  const given = headers.tokens.map((name) => headerOf(request, name)).filter((value) => value !== undefined);
  if (given.length > 0) return given.every((value) => isSame(value, token));
  const credentials = headerOf(request, AUTHORIZATION) ?? "";
  return ["Bearer", "Token"].some((scheme) => isSame(credentials, `${scheme} ${token}`, foldScheme));
}

function isSame(one: string, other: string, fold = (text: string) => text): boolean {
  return timingSafeEqual(digest(fold(one)), digest(fold(other)));
}

/** Schemes are compared case-insensitively (RFC 9110, section 11.1). A text without a space has no scheme. */
function foldScheme(text: string): string {
  return text.replace(/^[^ ]+(?= )/, (scheme) => scheme.toLowerCase());
}

/** In other headers, only Bearer and Token are schemes: credentials of other schemes are sent alone, and may contain spaces. */
function foldPrefix(text: string): string {
  return /^(?:bearer|token) /i.test(text) ? foldScheme(text) : text;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
