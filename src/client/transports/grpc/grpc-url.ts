import { isLoopback } from "../../../net/is-loopback.js";
import { parseUrl } from "../../../net/parse-url.js";

/** `host:port`, with the prefixes that cards have had for it. */
const ADDRESS = /^(?:(https?|grpcs?):\/\/|dns:(?:\/\/\/)?)?([^/?#@]+)\/?$/i;

/** Schemes that say whether the connection is encrypted. */
const schemes: Readonly<Record<string, "https:" | "http:">> = {
  https: "https:",
  http: "http:",
  grpcs: "https:",
};

/**
 * The URL of an interface with the binding GRPC, which cards list as `host:port`. Without a scheme it means TLS, except for names of this
 * machine.
 * @param isPlain whether the caller has said that the connection is not encrypted
 * @returns undefined for a text that is no address
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
 * Whether an interface of gRPC is on the host of an allowed origin. It usually has a port of its own there. Its certificate proves whose it is,
 * or it is on this machine.
 */
export function isOnHostOf(origins: ReadonlySet<string>, { hostname, protocol }: URL): boolean {
  const hosts = [...origins].map((origin) => new URL(origin).hostname);
  return isLoopback(hostname) ? hosts.some(isLoopback) : protocol === "https:" && hosts.includes(hostname);
}
