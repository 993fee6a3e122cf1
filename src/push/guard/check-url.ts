import { isIP } from "node:net";
import { parseUrl } from "../../parse-url.js";
import { isPublicAddress } from "./public-address.js";
import { UrlRefused } from "./url-refused.js";

/** What a URL may be. Without any of it: https, to a host of the public internet. */
export interface UrlRules {
  /** Also `http`. Off by default (SEC-06). */
  readonly allowHttp?: boolean;
  /** Also this machine and private networks: for development, or when every URL comes from trusted people (SEC-05). */
  readonly allowPrivateNetworks?: boolean;
  /** Only these hosts; `*.example.com` stands for all below it. Absent: all hosts. An address check is not waived by it. */
  readonly allowHosts?: readonly string[];
}

const MAX_LENGTH = 2048;

/** Absolute and hierarchical as written; URL parsers also take `http:host`, which people read differently. */
const ABSOLUTE = /^https?:\/\/[^/?#]/i;
const AUTHORITY = /^https?:\/\/([^/?#]*)/i;
const PORT = /:\d*$/;

/** Spaces, control characters and backslashes: parsers drop or turn them, so the text is not what is called. */
const AMBIGUOUS = /[\\\s\p{Cc}]/u;

/** Names that mean something near: this machine, the local network, a cloud's metadata service. */
const NEAR = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|lan|home\.arpa)$/;

/**
 * Checks a URL by its text: absolute, https, no credentials, no address or name of a machine near us (SEC-04, OP-PUSH-07).
 * Says nothing about what a name resolves to; that is decided when it is connected to.
 *
 * @returns the URL as it will be called
 * @throws UrlRefused
 */
export function checkUrl(text: string, rules: UrlRules = {}): URL {
  if (text.length > MAX_LENGTH) throw new UrlRefused(`must not be longer than ${MAX_LENGTH} characters`);
  if (AMBIGUOUS.test(text))
    throw new UrlRefused("must not contain spaces, control characters or backslashes");
  if (parseUrl(text) === undefined) throw new UrlRefused("must be an absolute https URL");
  const url = new URL(text);
  const allowed = rules.allowHttp ? ["https:", "http:"] : ["https:"];
  if (!allowed.includes(url.protocol)) {
    throw new UrlRefused(`must be an absolute ${rules.allowHttp ? "http or https" : "https"} URL`);
  }
  if (!ABSOLUTE.test(text)) throw new UrlRefused("must have a host");
  const authority = AUTHORITY.exec(text)?.[1] ?? "";
  if (authority.includes("@")) throw new UrlRefused("must not contain credentials");
  checkHost(hostOf(url), authority.replace(PORT, ""), rules);
  return url;
}

/** Host of a URL, bare: an IPv6 address without brackets, a name without the dot at its end. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function checkHost(host: string, written: string, { allowHosts, allowPrivateNetworks }: UrlRules): void {
  if (allowHosts && !allowHosts.some((pattern) => covers(pattern.toLowerCase(), host))) {
    throw new UrlRefused("must be on a host that is allowed here");
  }
  if (allowPrivateNetworks) return;
  const family = isIP(host);
  if (family === 4 && written !== host) {
    throw new UrlRefused("must write an address as four decimal numbers");
  }
  if (family !== 0) {
    if (!isPublicAddress(host)) throw new UrlRefused("must not point to a private or reserved address");
  } else if (!host.includes(".") || NEAR.test(host)) {
    throw new UrlRefused("must not point to a local name");
  }
}

function covers(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}
