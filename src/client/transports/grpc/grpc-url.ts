import { isLoopback, parseUrl } from "../../../net/url.js";
import type { GrpcTls } from "./grpc-options.js";

/** `host:port`, with the prefixes that cards use. */
const ADDRESS = /^(?:(https?|grpcs?):\/\/|dns:(?:\/\/\/)?)?([^/?#@]+)\/?$/i;

/** Schemes that say whether the connection is encrypted. `grpc` and `dns` do not. */
const schemes: Readonly<Record<string, "https:" | "http:">> = {
  https: "https:",
  http: "http:",
  grpcs: "https:",
};

/** What decides about TLS when the scheme of an address does not. */
interface GrpcAddressOptions {
  /** The option `grpc.tls` of `connect`; false for no TLS. */
  readonly tls?: GrpcTls | false | undefined;
  /** URL of the card. */
  readonly base?: URL | undefined;
}

/**
 * The URL of a gRPC interface, which cards list as `host:port`. An address without a scheme, or with `grpc` or `dns`, means TLS unless the
 * option `tls` is false. On this machine it means TLS only if `tls` has `ca` or `cert`, or if its port has served the card over HTTPS.
 * @returns undefined for a string that is not an address
 */
export function grpcUrl(text: string, options: GrpcAddressOptions = {}): URL | undefined {
  const [, scheme = "", host = ""] = ADDRESS.exec(text.trim()) ?? [];
  const url = parseUrl(`https://${host}`);
  if (url === undefined || host === "") return undefined;
  const protocol = schemes[scheme.toLowerCase()] ?? (isEncrypted(url, options) ? "https:" : "http:");
  return protocol === "https:" ? url : new URL(`http://${host}`);
}

function isEncrypted({ hostname, port }: URL, { tls, base }: GrpcAddressOptions): boolean {
  if (tls === false) return false;
  if (!isLoopback(hostname) || tls?.ca !== undefined || tls?.cert !== undefined) return true;
  return base?.protocol === "https:" && isLoopback(base.hostname) && base.port === port;
}

/**
 * Whether a gRPC interface is on the host of an allowed origin, at any port, because gRPC usually has a port of its own. It must have TLS,
 * whose certificate proves the host, or be on this machine.
 */
export function isOnHostOf(origins: ReadonlySet<string>, { hostname, protocol }: URL): boolean {
  const hosts = [...origins].map((origin) => new URL(origin).hostname);
  return isLoopback(hostname) ? hosts.some(isLoopback) : protocol === "https:" && hosts.includes(hostname);
}
