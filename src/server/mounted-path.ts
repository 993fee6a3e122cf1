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
