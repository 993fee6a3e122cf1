import { isLoopback, parseUrl } from "../../../net/url.js";

/** `host:port`, with the prefixes that cards use. */
const ADDRESS = /^(?:(https?|grpcs?):\/\/|dns:(?:\/\/\/)?)?([^/?#@]+)\/?$/i;

/** Schemes that say whether the connection is encrypted. `grpc` and `dns` do not. */
const schemes: Readonly<Record<string, "https:" | "http:">> = {
  https: "https:",
  http: "http:",
  grpcs: "https:",
};

/**
 * The URL of a gRPC interface, which cards list as `host:port`. An address without a scheme, or with `grpc` or `dns`, means TLS, except for
 * names of this machine.
 * @param isPlain whether such an address means no TLS
 * @returns undefined for a string that is not an address
 */
export function grpcUrl(text: string, isPlain: boolean): URL | undefined {
  const [, scheme = "", host = ""] = ADDRESS.exec(text.trim()) ?? [];
  const url = parseUrl(`https://${host}`);
  if (url === undefined || host === "") return undefined;
  const usual = isPlain || isLoopback(url.hostname) ? "http:" : "https:";
  const protocol = schemes[scheme.toLowerCase()] ?? usual;
  return protocol === "https:" ? url : new URL(`http://${host}`);
}

/**
 * Whether a gRPC interface is on the host of an allowed origin, at any port, because gRPC usually has its own. It must have TLS, whose
 * certificate proves the host, or be on this machine.
 */
export function isOnHostOf(origins: ReadonlySet<string>, { hostname, protocol }: URL): boolean {
  const hosts = [...origins].map((origin) => new URL(origin).hostname);
  return isLoopback(hostname) ? hosts.some(isLoopback) : protocol === "https:" && hosts.includes(hostname);
}
