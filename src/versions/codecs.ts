import type { Codec } from "./codec.js";
import { codec as newest } from "./v1.0/codec.js";
import { FLAT_VERSION } from "./version.js";

/** A protocol version that can be served, as far as it is known before its codec is there. */
export interface ServableVersion extends Pick<Codec, "cardPaths"> {
  /** Whether it has the HTTP+JSON binding. */
  readonly hasRoutes: boolean;
  /** Version under which cards list it, when it is a dialect: only versions that the protocol has are named there. */
  readonly listedAs?: string;
  load(): Promise<Codec>;
}

/** The version in whose form refusals are written that come before any version. */
export const newestCodec: Codec = newest;

/** Every protocol version that can be served, newest first. Codecs of older versions are imported on demand. */
export const servableVersions: ReadonlyMap<string, ServableVersion> = new Map<string, ServableVersion>([
  [newest.version, loaded(newest)],
  [
    "0.3",
    {
      hasRoutes: true,
      cardPaths: ["/.well-known/agent-card.json", "/.well-known/agent.json"],
      load: async () => (await import("./v0.3/codec.js")).codec,
    },
  ],
  [
    FLAT_VERSION,
    {
      hasRoutes: false,
      cardPaths: ["/agentCard"],
      listedAs: "0.1",
      load: async () => (await import("./v0.1/flat/codec.js")).codec,
    },
  ],
  [
    "0.1",
    {
      hasRoutes: false,
      cardPaths: ["/.well-known/agent.json"],
      load: async () => (await import("./v0.1/codec.js")).codec,
    },
  ],
]);

function loaded(codec: Codec): ServableVersion {
  return { hasRoutes: codec.routes.length > 0, cardPaths: codec.cardPaths, load: async () => codec };
}

/**
 * The codecs of some versions by `Major.Minor`, the newest first.
 * @param isWanted all of them by default
 */
export async function loadCodecs(
  isWanted: (version: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Codec>> {
  const wanted = [...servableVersions].filter(([version]) => isWanted(version));
  return new Map(
    await Promise.all(wanted.map(async ([version, { load }]) => [version, await load()] as const)),
  );
}

/** The versions served when nothing else is asked for: the newest, and those of the same major version before it. */
export const defaultVersions: readonly string[] = [...servableVersions.keys()].filter(
  (version) => version.split(".")[0] === newest.version.split(".")[0],
);
