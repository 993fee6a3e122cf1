import type { IncomingMessage, ServerResponse } from "node:http";
import { parseUrl } from "../../net/url.js";

/** A request of Node's HTTP server with its response, from Node or a framework. */
export interface NodeExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Path below `base`, percent-encoded; undefined if the request line has no valid path. */
  readonly path: string | undefined;
  /** Raw query without `?`. */
  readonly query: string;
  /** Path of the application at which the agents are mounted; `""` at its root. */
  readonly base: string;
  /** The body that a parser of the framework has read; undefined without a parser. */
  readonly parsed?: unknown;
  /** The request object of the framework. */
  readonly source?: unknown;
}

/** A request as Connect and Express extend it: below the path of a mounted handler, `url` is the rest of the path. */
type MountedRequest = Omit<IncomingMessage, "body"> & {
  readonly originalUrl?: string;
  readonly body?: unknown;
};

/** The exchange of a request from Node, Connect or Express. */
export function exchangeOf(req: MountedRequest, res: ServerResponse): NodeExchange {
  const { url = "", originalUrl = url, body: parsed } = req;
  const [path, query] = splitUrl(url);
  const base = path === undefined || originalUrl === url ? "" : baseOf(originalUrl, path);
  return { req: req as IncomingMessage, res, path, query, base, parsed, source: req };
}

/**
 * Path at which a handler is mounted.
 * @param originalUrl of the request
 * @param path as the handler sees it
 */
export function baseOf(originalUrl: string, path: string): string {
  const [whole = ""] = splitUrl(originalUrl);
  if (whole.endsWith(path)) return whole.slice(0, whole.length - path.length);
  return path === "/" ? whole : "";
}

/** Path and query of a request line, still percent-encoded. The path is undefined if there is none. */
export function splitUrl(url: string): readonly [path: string | undefined, query: string] {
  if (url.startsWith("/")) {
    const end = url.indexOf("?");
    return end < 0 ? [url, ""] : [url.slice(0, end), url.slice(end + 1)];
  }
  const whole = parseUrl(url);
  return [whole?.pathname, whole?.search.slice(1) ?? ""];
}
