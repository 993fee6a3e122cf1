import type { Logger } from "../protocol/logger.js";

/** A path in two parts: the path at which an application has mounted the agents, and the rest. */
export interface MountedPath {
  readonly base: string;
  readonly path: string;
}

/**
 * Splits a path where the wildcard of a route begins.
 * @param path of the request, percent-encoding untouched
 * @param pattern of the route, such as `/agent/*` or `/:team/agent/*`
 */
export function splitMount(path = "/", pattern = "/*"): MountedPath {
  const base = baseAt(path, depthOf(pattern));
  return { base, path: path.slice(base.length) || "/" };
}

/** The last pattern with its depth, as a cache: an application has few patterns. */
let counted = { pattern: "/*", depth: 0 };

/** Number of segments before the wildcard. */
function depthOf(pattern: string): number {
  if (counted.pattern !== pattern) {
    const parts = pattern.replace(/\*$/, "").split("/");
    counted = { pattern, depth: parts.filter((part) => part !== "").length };
  }
  return counted.depth;
}

/** The first segments of a path. */
function baseAt(path: string, depth: number): string {
  let end = 0;
  for (let count = 0; count < depth && end < path.length; count += 1) {
    const next = path.indexOf("/", end + 1);
    end = next < 0 ? path.length : next;
  }
  return path.slice(0, end);
}

/**
 * Says that `publicUrl` does not end with the path of the mount, so that URLs in cards probably do not reach the agents. Paths are compared
 * without regard to case, as some frameworks match routes.
 * @param base path at which an application has mounted the agents; `""` at the root
 * @returns undefined if it does, or is not set
 */
export function missingMount(publicUrl: string | undefined, base: string): string | undefined {
  if (publicUrl === undefined || pathOf(publicUrl).toLowerCase().endsWith(base.toLowerCase()))
    return undefined;
  return `publicUrl: "${publicUrl}" does not end with "${base}", the path at which the application has mounted the agents. The URLs in cards answer 404 unless a proxy maps them to this path`;
}

/**
 * Says that `publicUrl` ends with the path of an agent, which cards append to it.
 * @returns undefined if it does not
 */
export function repeatedPath(
  publicUrl: string | undefined,
  agents: readonly { readonly prefix: string }[],
): string | undefined {
  if (publicUrl === undefined) return undefined;
  const path = pathOf(publicUrl);
  const repeated = agents.find(({ prefix }) => prefix !== "" && path.endsWith(prefix));
  if (repeated === undefined) return undefined;
  return `publicUrl: "${publicUrl}" ends with "${repeated.prefix}", the path of an agent, and cards append this path. They contain "${publicUrl}${repeated.prefix}"; leave the path out if this URL is wrong`;
}

/** For each store of this process, the name of the agent that was first served at a path. */
const namesIn = new WeakMap<object, Map<string, string>>();

/**
 * Logs a warning if this process serves agents of different names at one path from one store, such as two mounts of an application.
 * @param prefix path of the agent on its server
 */
export function warnOfSharedPath(
  { store, logger }: { readonly store: object; readonly logger: Logger },
  prefix: string,
  name: string,
): void {
  const names = namesIn.get(store) ?? new Map<string, string>();
  namesIn.set(store, names);
  const first = names.get(prefix) ?? name;
  names.set(prefix, first);
  if (first === name) return;
  logger.warn(
    { path: prefix || "/", agents: [first, name] },
    'Two agents are served at the same path from one store, so they share their tasks: serve them together by paths, { "/one": …, "/other": … }, or give each its own database',
  );
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, "");
}
