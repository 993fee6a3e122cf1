import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UrlGuard } from "../push/guard/url-guard.js";
import type { CommandCall } from "./command.js";
import { fileFailure, usage } from "./failure.js";
import { loggedFetch } from "./wire-log.js";

/**
 * The `fetch` of a command: with the certificates that its options name, and told of with `--debug`.
 * @throws Failure for files that cannot be read
 */
export function callFetch(call: Pick<CommandCall, "io" | "notes" | "values">): typeof fetch {
  return loggedFetch(certified(call) ?? call.io.fetch, call.notes);
}

/** The platform's `fetch` knows the platform's authorities and shows no certificate: this one is made of Node's own client. */
function certified({ io, values }: Pick<CommandCall, "io" | "values">): typeof fetch | undefined {
  const [ca, cert, key] = ["ca", "client-cert", "client-key"].map((name) => {
    const path = values.text(name);
    return path === undefined ? undefined : read(resolve(io.folder, path));
  });
  if ((cert === undefined) !== (key === undefined)) throw usage("--client-cert and --client-key go together");
  if (ca === undefined && cert === undefined) return undefined;
  return new UrlGuard({
    allowHttp: true,
    allowPrivateNetworks: true,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && key !== undefined && { certificate: { cert, key } }),
  }).fetch;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw fileFailure(`${path} cannot be read`, error);
  }
}
