/** A path in two: that at which an application has mounted the agents, and what follows. */
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
  const count = pattern
    .replace(/\*$/, "")
    .split("/")
    .filter((part) => part !== "").length;
  const base = count === 0 ? "" : path.split("/", count + 1).join("/");
  return { base, path: path.slice(base.length) || "/" };
}
