import type { Codec } from "./codec.js";
import { codec as newest } from "./v1.0/codec.js";
import { FLAT_VERSION } from "./version.js";

/** A protocol version that can be served. This much is known before its codec is loaded. */
export interface ServableVersion extends Pick<Codec, "cardPaths"> {
  /** Whether it has the HTTP+JSON binding. */
  readonly hasRoutes: boolean;
  /** Version in cards, for a dialect: cards may only name versions that the protocol has. */
  readonly listedAs?: string;
  load(): Promise<Codec>;
}

/** The codec for errors of requests whose version is not known yet. */
export const newestCodec: Codec = newest;

/** All protocol versions that can be served, newest first. Codecs of older versions are imported on demand. */
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
 * Loads the codecs of some versions, newest first.
 * @param isWanted selects versions; all by default
 */
export async function loadCodecs(
  isWanted: (version: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Codec>> {
  const wanted = [...servableVersions].filter(([version]) => isWanted(version));
  return new Map(
    await Promise.all(wanted.map(async ([version, { load }]) => [version, await load()] as const)),
  );
}

/** The versions served by default: the newest, and earlier ones of the same major version. */
export const defaultVersions: readonly string[] = [...servableVersions.keys()].filter(
  (version) => version.split(".")[0] === newest.version.split(".")[0],
);
