import type { Binding } from "./bindings/binding.js";
import { bindings } from "./bindings/bindings.js";
import type { Mount } from "./mount.js";
import type { ServerSettings } from "./settings.js";

/** A binding of an agent at a path. */
export interface Endpoint<Frame = string> {
  readonly mount: Mount;
  readonly binding: Binding<Frame>;
  /** Path of the endpoint without a trailing slash. The binding gets the path below it. */
  readonly path: string;
}

/**
 * Finds the endpoint for a path. JSON-RPC is served at exact paths, which takes one look-up. HTTP+JSON is served at its path and all paths
 * below it, which takes at most one look-up per segment. The bindings find the operation.
 */
export class Endpoints {
  readonly #exact = new Map<string, Endpoint>();
  readonly #below = new Map<string, Endpoint>();
  /** Length of the longest path in `#below`. Longer prefixes of a requested path are not looked up. */
  #longest = 0;

  constructor(mounts: readonly Mount[], settings: ServerSettings) {
    for (const mount of mounts) {
      for (const name of settings.bindings) {
        if (name === "GRPC") continue;
        for (const path of mount.pathsOf(name).map((one) => one.replace(/\/$/, ""))) {
          const endpoint = { mount, binding: bindings[name], path };
          if (name === "JSONRPC") this.#exact.set(path, endpoint).set(`${path}/`, endpoint);
          else {
            this.#below.set(path, endpoint);
            this.#longest = Math.max(this.#longest, path.length);
          }
        }
      }
    }
  }

  /** The endpoint at or above a path. The number of look-ups does not grow with the length of the requested path. */
  find(path: string): Endpoint | undefined {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    const longest = path.length > this.#longest ? path.lastIndexOf("/", this.#longest) : path.length;
    for (let end = longest; end >= 0; end = end === 0 ? -1 : path.lastIndexOf("/", end - 1)) {
      const endpoint = this.#below.get(path.slice(0, end));
      if (endpoint !== undefined) return endpoint;
    }
    return undefined;
  }
}
