import { BlockList, isIP } from "node:net";
import { parseUrl } from "../../net/parse-url.js";

/**
 * A URL that must not be called: by its text, or because of an address that its host stands for. The message goes on where
 * the name of a member ends ("must not …"), so that it can be shown to the caller who gave the URL.
 */
export class UrlRefused extends Error {
  override readonly name = "UrlRefused";
}

/** IPv4 networks that are not the public internet, by what they are for (IANA special-purpose registry and multicast). */
const CLOSED_V4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8], // this network, unspecified
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // a cloud's metadata service, in a public range
  ["169.254.0.0", 16], // link-local, most metadata services
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays of 6to4
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarking
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
];

/** The one IPv6 network with public addresses. Mapped, compatible and translated IPv4, local and multicast lie outside. */
const OPEN_V6 = ["2000::", 3] as const;

/** Networks within it that are not public. */
const CLOSED_V6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: an IPv4 address inside
  ["3fff::", 20], // documentation
];

const closed = new BlockList();
for (const [network, prefix] of CLOSED_V4) closed.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of CLOSED_V6) closed.addSubnet(network, prefix, "ipv6");
const open = new BlockList();
open.addSubnet(OPEN_V6[0], OPEN_V6[1], "ipv6");

/**
 * Whether an IP address is one of the public internet's hosts: not this machine, not a private, link-local, shared, reserved
 * or multicast network, and no IPv6 form with an IPv4 address inside (SEC-04). What is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  return family === 6 && open.check(address, "ipv6") && !closed.check(address, "ipv6");
}

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
