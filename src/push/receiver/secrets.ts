import { createHash, timingSafeEqual } from "node:crypto";
import { headers } from "../request-headers.js";
import { headerOf, type PushRequest } from "./push-request.js";

/**
 * What was handed out with a push config, for its notifications to bring back. Give each config secrets of its own (HOOK-08).
 */
export interface Secrets {
  /** `token` of the config. It comes back in a header for tokens or, from some agents of the first draft, in `Authorization`. */
  readonly token?: string;
  /** `authentication` of the config as it is sent: scheme, space, credentials. */
  readonly authorization?: string;
  /** Header in which `authorization` comes back when the config named one, as the flat dialect can; `Authorization` by default. */
  readonly header?: string;
}

/** Whether there is anything to recognise a sender by. */
export function hasSecret({ token, authorization }: Secrets): boolean {
  return Boolean(token || authorization);
}

/**
 * Whether a request brings back everything that was handed out (§13.2). How long it takes says nothing about how close a guess was.
 */
export function bringsBack(request: PushRequest, secrets: Secrets): boolean {
  const { token, authorization, header = AUTHORIZATION } = secrets;
  const isAuthorized =
    !authorization || isSame(headerOf(request, header.toLowerCase()) ?? "", authorization, foldScheme);
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

/** Schemes are compared without regard to case (RFC 9110, section 11.1). */
function foldScheme(text: string): string {
  return text.replace(/^[^ ]*/, (scheme) => scheme.toLowerCase());
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
