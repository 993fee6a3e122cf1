import type { IncomingHttpHeaders } from "node:http";
import type { Context } from "koa";

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
const PREFIX = /^(\/[\w.~-]+)*$/;

/** Where callers reach the server, as one request tells it. */
interface Reached {
  readonly protocol?: string | undefined;
  readonly host?: string | undefined;
  readonly prefix?: string | undefined;
}

/**
 * The URL under which a request reached the server, without a slash at its end. Headers of a proxy count only where they are
 * trusted; what does not look like a host is not repeated to anyone, since it ends up in the card.
 */
export function urlOfRequest(ctx: Context, trustProxy: boolean): string {
  const direct: Reached = { protocol: ctx.protocol, host: ctx.req.headers.host };
  const told = trustProxy ? forwarded(ctx.req.headers) : {};
  const protocol = told.protocol === "https" || told.protocol === "http" ? told.protocol : direct.protocol;
  const host =
    [told.host, direct.host].find((name) => name !== undefined && HOST.test(name)) ?? localHost(ctx);
  const prefix = told.prefix !== undefined && PREFIX.test(told.prefix) ? told.prefix : "";
  return `${protocol}://${host}${prefix}`;
}

/** What the proxy next to the caller has noted, in the standard header (RFC 7239) or in those that most proxies send. */
function forwarded(headers: IncomingHttpHeaders): Reached {
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

function firstOf(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(",")[0]?.trim();
}

function localHost({ req: { socket } }: Context): string {
  return hostOf(socket.localAddress ?? "localhost", socket.localPort ?? 80);
}

/** Address and port as they stand in a URL. */
export function hostOf(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
