import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLoopback, parseUrl } from "../net/url.js";
import { TOKEN_HEADER } from "./frames.js";

/**
 * Whether a request is addressed to this machine by its own name. A page whose name was bound to this machine afterwards sends that name
 * (DNS rebinding), as does what comes through a proxy.
 */
export function isAddressedHere({ headers: { host = "" } }: IncomingMessage): boolean {
  const url = parseUrl(`http://${host}`);
  return url?.href === `http://${url?.host}/` && isLoopback(url.hostname);
}

/** Whether a request comes from a page of this server, or from no page at all. */
export function isOwnPage({ headers }: IncomingMessage): boolean {
  const { host = "", origin } = headers;
  const site = headers["sec-fetch-site"];
  const isOwn = origin === undefined || origin === `http://${host}`;
  return isOwn && (site === undefined || site === "same-origin" || site === "none");
}

/** Whether a request has the token of the launch. The comparison does not reveal how close a guess was. */
export function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = headers[TOKEN_HEADER.toLowerCase()];
  return typeof given === "string" && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
