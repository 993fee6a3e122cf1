import { runtime } from "#runtime";
import type { HostRequest } from "./host.js";

type Headers = HostRequest["headers"];

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
const PREFIX = /^(\/[\w.~-]+)*$/;

/** Where a request has reached the server, as its host knows it. */
export interface Reached {
  readonly protocol: "http" | "https";
  /** What the caller named; undefined when it named none. */
  readonly host: string | undefined;
  /** Address and port of the server's end of the connection, for a caller that named no usable host. */
  readonly local: string;
  /** Path at which an application has mounted the agents; `""` at its root. */
  readonly base: string;
}

/**
 * The URL under which a request reached the server, without a slash at its end. Headers of a proxy count only where they are
 * trusted. What does not look like a host is not repeated, because the URL ends up in the card.
 */
export function urlOfRequest(headers: Headers, reached: Reached, trustProxy: boolean): string {
  const told = trustProxy ? forwarded(headers) : {};
  const protocol = told.protocol === "https" || told.protocol === "http" ? told.protocol : reached.protocol;
  const host = [told.host, reached.host].find((name) => name !== undefined && isHost(name)) ?? reached.local;
  const prefix = told.prefix !== undefined && PREFIX.test(told.prefix) ? told.prefix : "";
  return `${protocol}://${host}${prefix}${reached.base}`;
}

/** Whether a text can be the host of a URL, with or without a port. */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/** Address and port as they stand in a URL. */
export function hostOf(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** What the proxy next to the caller has noted, in the standard header (RFC 7239) or in those that most proxies send. */
function forwarded(headers: Headers): Partial<Record<"protocol" | "host" | "prefix", string | undefined>> {
  const [first = ""] = String(headers.forwarded ?? "").split(",");
  const pairs = first.split(";").map((pair) => pair.trim().split("="));
  const standard = new Map(
    pairs.map(([name = "", value = ""]) => [name.toLowerCase(), value.replace(/^"|"$/g, "")]),
  );
  return {
    protocol: standard.get("proto") ?? firstOf(headers["x-forwarded-proto"]),
    host: standard.get("host") ?? firstOf(headers["x-forwarded-host"]),
    prefix: firstOf(headers["x-forwarded-prefix"])?.replace(/\/$/, ""),
  };
}

function firstOf(header: Headers[string]): string | undefined {
  return header === undefined ? undefined : String(header).split(",")[0]?.trim();
}

/**
 * IP address of the caller. With a trusted proxy in front of the server, it is what that proxy has noted last. What was noted
 * before may be the caller's own invention.
 *
 * @param peer address at the other end of the connection
 */
export function callerAddress(
  headers: Headers,
  peer: string | undefined,
  trustProxy: boolean,
): string | undefined {
  if (!trustProxy) return peer;
  return (
    [standard(lastOf(headers.forwarded)), bare(lastOf(headers["x-forwarded-for"]))].find(isAddress) ?? peer
  );
}

function lastOf(header: Headers[string]): string {
  return (
    String(header ?? "")
      .split(",")
      .at(-1) ?? ""
  );
}

/** The standard header (RFC 7239) has pairs; one of them is `for`. */
function standard(pairs: string): string {
  const [, address = ""] = /(?:^|;)\s*for=("[^"]*"|[^;]*)/i.exec(pairs) ?? [];
  return bare(address.replaceAll('"', ""));
}

/** Without a port, and without the brackets that keep an IPv6 address and its port apart. */
function bare(text: string): string {
  const address = text.trim();
  const [, bracketed] = /^\[(.*)\](?::\d+)?$/.exec(address) ?? [];
  return bracketed ?? address.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
}

function isAddress(text: string): boolean {
  return runtime.ipVersion(text) !== 0;
}
