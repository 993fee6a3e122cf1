import { runtime } from "#runtime";
import type { HostRequest } from "./host.js";

type Headers = HostRequest["headers"];

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
const PREFIX = /^(\/[\w.~-]+)*$/;

/** The URL at which a request arrived, in parts, as the host knows it. */
export interface Reached {
  readonly protocol: "http" | "https";
  /** The `Host` of the request, unchecked; undefined if there is none. */
  readonly host: string | undefined;
  /** Local address and port of the connection. Used if the request has no valid host. */
  readonly local: string;
  /** Path at which an application has mounted the agents; `""` at its root. */
  readonly base: string;
}

/**
 * The URL at which a request reached the server, without a trailing slash. Headers of a proxy are used only if `trustProxy` is set, and
 * values that are not valid hosts or paths are ignored, because the URL becomes part of the card.
 */
export function urlOfRequest(headers: Headers, reached: Reached, trustProxy: boolean): string {
  const proxied = trustProxy ? forwarded(headers) : {};
  const isScheme = proxied.protocol === "https" || proxied.protocol === "http";
  const protocol = isScheme ? proxied.protocol : reached.protocol;
  const host =
    [proxied.host, reached.host].find((name) => name !== undefined && isHost(name)) ?? reached.local;
  const prefix = proxied.prefix !== undefined && PREFIX.test(proxied.prefix) ? proxied.prefix : "";
  return `${protocol}://${host}${prefix}${reached.base}`;
}

/** Whether a text can be the host of a URL, with or without a port. */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/** Address and port in the form of a URL. */
export function hostOf(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The values of the proxy nearest to the caller, from `Forwarded` (RFC 7239) or else from the `X-Forwarded-*` headers. */
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
 * IP address of the caller. With `trustProxy` it is the last address in the headers, which the proxy next to the server has added. Earlier
 * addresses may be invented by the caller.
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

/** The address in the `for` pair of an element of `Forwarded` (RFC 7239). */
function standard(pairs: string): string {
  const [, address = ""] = /(?:^|;)\s*for=("[^"]*"|[^;]*)/i.exec(pairs) ?? [];
  return bare(address.replaceAll('"', ""));
}

/** An address without its port, and without the brackets of an IPv6 address. */
function bare(text: string): string {
  const address = text.trim();
  const [, bracketed] = /^\[(.*)\](?::\d+)?$/.exec(address) ?? [];
  return bracketed ?? address.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
}

function isAddress(text: string): boolean {
  return runtime.ipVersion(text) !== 0;
}
