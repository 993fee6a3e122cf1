import type { Binding } from "./bindings/binding.js";
import { bindings } from "./bindings/bindings.js";
import type { Mount } from "./mount.js";
import type { ServerSettings } from "./settings.js";

/** One binding of one agent in one place. */
export interface Endpoint<Frame = string> {
  readonly mount: Mount;
  readonly binding: Binding<Frame>;
  /** Path of the endpoint without a slash at its end; the binding sees what follows. */
  readonly path: string;
}

/**
 * Finds the endpoint for a path: one look-up for JSON-RPC, which lives at exact paths, and one per segment at most for
 * HTTP+JSON, which owns everything below its path. Which operation is meant is for the bindings to find out.
 */
export class Endpoints {
  readonly #exact = new Map<string, Endpoint>();
  readonly #below = new Map<string, Endpoint>();
  /** Length of the longest path in the map above: nothing beyond it decides. */
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

  /** The endpoint at or above a path. Takes time for the length of the path, whatever it is made of. */
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
