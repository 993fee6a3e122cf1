import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * IP address of the caller. With a trusted proxy in front of the server, it is what that proxy has noted last; what was noted
 * before may be the caller's own invention.
 */
export function addressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string | undefined {
  const [noted] = trustProxy
    ? [standard(headers.forwarded), last(headers["x-forwarded-for"])].filter(isAddress)
    : [];
  return noted ?? socket.remoteAddress;
}

function last(header: string | readonly string[] | undefined): string | undefined {
  return header === undefined ? undefined : bare(String(header).split(",").at(-1) ?? "");
}

/** The standard header (RFC 7239) has pairs; one of them is `for`. */
function standard(header: string | undefined): string | undefined {
  const [, address] = /(?:^|;)\s*for=("[^"]*"|[^;]*)/i.exec(header?.split(",").at(-1) ?? "") ?? [];
  return address === undefined ? undefined : bare(address.replaceAll('"', ""));
}

/** Without a port, and without the brackets that keep an IPv6 address and its port apart. */
function bare(text: string): string {
  const address = text.trim();
  const [, bracketed] = /^\[(.*)\](?::\d+)?$/.exec(address) ?? [];
  return bracketed ?? address.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
}

function isAddress(text: string | undefined): text is string {
  return text !== undefined && isIP(text) !== 0;
}
