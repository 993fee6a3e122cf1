import { runtime } from "#runtime";
import { parseUrl } from "../../net/url.js";
import type { IpNetwork } from "../../runtime/runtime.js";

/**
 * Thrown for a URL that must not be called, because of its text or an address of its host. The message starts with "must", so that
 * it can follow the name of the member in an error for the caller who sent the URL.
 * @example `if (error instanceof UrlRefused) console.warn("The URL", error.message);`
 */
export class UrlRefused extends Error {
  override readonly name = "UrlRefused";
}

/** IPv4 networks that do not count as public, with their use. */
const CLOSED_V4: readonly IpNetwork[] = [
  ["0.0.0.0", 8], // this network, unspecified
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // Azure's platform services (WireServer, DNS), in a public range
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

/** The only IPv6 network that counts as public. Mapped, compatible and translated IPv4, local and multicast addresses are outside it. */
const OPEN_V6: IpNetwork = ["2000::", 3];

/** Networks within {@link OPEN_V6} that do not count as public. */
const CLOSED_V6: readonly IpNetwork[] = [
  ["2001::", 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: an IPv4 address inside
  ["3fff::", 20], // documentation
];

const isClosed = runtime.addressSet([...CLOSED_V4, ...CLOSED_V6]);
const isOpen = runtime.addressSet([OPEN_V6]);

/**
 * Whether a string is an IP address that counts as public: IPv4 outside {@link CLOSED_V4}, or IPv6 within {@link OPEN_V6} and outside
 * {@link CLOSED_V6} (§13.2). False for a string that is no address.
 */
export function isPublicAddress(address: string): boolean {
  const version = runtime.ipVersion(address);
  if (version === 4) return !isClosed(address);
  return version === 6 && isOpen(address) && !isClosed(address);
}

/** The URLs that are accepted. By default: `https` to a public host. */
export interface UrlRules {
  /** Accepts `http` as well. Off by default. */
  readonly allowHttp?: boolean | undefined;
  /** Accepts this machine and private networks as well. Use it for development, or when every URL comes from a trusted source (§13.2). */
  readonly allowPrivateNetworks?: boolean | undefined;
  /**
   * Accepts only these hosts, written without scheme, port and path; `*.example.com` covers all subdomains. All hosts by default. The rules
   * about addresses apply to these hosts as well.
   */
  readonly allowHosts?: readonly string[] | undefined;
}

const MAX_LENGTH = 2048;

/** Absolute, with a host. URL parsers also accept `http:host`, which is easily misread. */
const ABSOLUTE = /^https?:\/\/[^/?#]/i;
const AUTHORITY = /^https?:\/\/([^/?#]*)/i;
const PORT = /:\d*$/;

/** Spaces, control characters and backslashes. Parsers may drop or replace them, and the URL called would differ from the text. */
const AMBIGUOUS = /[\\\s\p{Cc}]/u;

/** Names of this machine, the local network or a cloud's metadata service, and their subdomains. */
const LOCAL = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|lan|home\.arpa)$/;

/**
 * Checks the text of a URL: at most 2048 characters, absolute, without spaces, control characters, backslashes and credentials, and on one
 * of `allowHosts` if they are given. Unless the rules allow more, it must be `https` and must have neither a private address nor a local
 * name (§13.2). The addresses that a name resolves to are not checked here.
 *
 * @returns the URL as it will be called
 * @throws UrlRefused
 */
export function checkUrl(text: string, rules: UrlRules = {}): URL {
  if (text.length > MAX_LENGTH) throw new UrlRefused(`must not be longer than ${MAX_LENGTH} characters`);
  if (AMBIGUOUS.test(text))
    throw new UrlRefused("must not contain spaces, control characters or backslashes");
  const wanted = `must be an absolute ${rules.allowHttp ? "http or https" : "https"} URL`;
  if (parseUrl(text) === undefined) throw new UrlRefused(wanted);
  const url = new URL(text);
  const allowed = rules.allowHttp ? ["https:", "http:"] : ["https:"];
  if (!allowed.includes(url.protocol)) throw new UrlRefused(wanted);
  if (!ABSOLUTE.test(text)) throw new UrlRefused('must have a host after "//"');
  const authority = AUTHORITY.exec(text)?.[1] ?? "";
  if (authority.includes("@")) throw new UrlRefused("must not contain credentials");
  checkHost(bareHost(url), authority.replace(PORT, ""), rules);
  return url;
}

/** The host of a URL: an IPv6 address without brackets, a name without final dots. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
}

function checkHost(host: string, written: string, { allowHosts, allowPrivateNetworks }: UrlRules): void {
  if (allowHosts && !allowHosts.some((pattern) => covers(pattern, host))) {
    throw new UrlRefused("must be on a host that is allowed here");
  }
  if (allowPrivateNetworks) return;
  const version = runtime.ipVersion(host);
  if (version === 4 && written !== host) {
    throw new UrlRefused("must write an address as four decimal numbers");
  }
  if (version !== 0) {
    if (!isPublicAddress(host)) throw new UrlRefused("must not point to a private or reserved address");
  } else if (!host.includes(".") || LOCAL.test(host)) {
    throw new UrlRefused("must not point to a local name");
  }
}

/** A host alone, without a scheme, credentials, a port or a path. */
const HOST = /^(?:\[[^\]]*\]|[^/?#@:\\]+)$/;

/** An entry of `allowHosts` in the form of {@link bareHost}; undefined for one that no host matches. */
function barePattern(pattern: string): string | undefined {
  const text = runtime.ipVersion(pattern) === 6 ? `[${pattern}]` : pattern;
  const url = HOST.test(text) ? parseUrl(`https://${text}/`) : undefined;
  const host = url === undefined ? "" : bareHost(url);
  return host === "" || host.replace(/^\*\./, "").includes("*") ? undefined : host;
}

function covers(pattern: string, host: string): boolean {
  const bare = barePattern(pattern);
  return bare?.startsWith("*.") ? host.endsWith(bare.slice(1)) : host === bare;
}

/**
 * Checks the value of `allowHosts`: programs in JavaScript may pass anything, and an entry that no host matches is a mistake.
 * @param option name of the option in the error
 * @throws TypeError that says what to write instead
 */
export function checkAllowHosts(option: string, allowHosts: UrlRules["allowHosts"]): void {
  if (allowHosts === undefined) return;
  if (!Array.isArray(allowHosts) || !allowHosts.every((entry) => typeof entry === "string"))
    throw new TypeError(`${option} must be a list of strings`);
  const wrong = allowHosts.find((entry) => barePattern(entry) === undefined);
  if (wrong !== undefined)
    throw new TypeError(`${option}: "${wrong}" matches no host: ${replacementFor(wrong)}`);
}

function replacementFor(entry: string): string {
  const { hostname = "" } = parseUrl(entry.includes("//") ? entry : `https://${entry}`) ?? {};
  if (/^\*\.?$/.test(hostname)) return "leave the option out to accept all hosts";
  if (barePattern(hostname) !== undefined) return `write "${hostname}"`;
  return 'write hosts, such as "hooks.example.com", or "*.example.com" for its subdomains';
}
