import type { Codec } from "./codec.js";
import { isListable } from "./decisions.js";
import { codec as newest } from "./v1.0/codec.js";
import { DRAFT_VERSION, FLAT_VERSION, UNNAMED_VERSION } from "./version.js";

/** A protocol version that can be served: its codec, and the facts about it that are needed before the codec is loaded. */
export interface ServableVersion extends Pick<Codec, "cardPaths"> {
  /** Whether it has the HTTP+JSON binding. */
  readonly hasRoutes: boolean;
  /** Whether it has the gRPC binding. */
  readonly hasService?: boolean;
  /** For a dialect: its version in `supportedInterfaces`, which may only name versions of the protocol. */
  readonly listedAs?: string;
  /** Whether no card lists it, because its decisions do not allow it: see {@link isListable}. */
  readonly isUnlisted?: boolean;
  /** A draft: served only if the options of the server or the agent's card name it. */
  readonly isOptIn?: true;
  load(): Promise<Codec>;
}

/** The codec of the newest released version. */
export const newestCodec: Codec = newest;

/** The rows of {@link servableVersions}. Codecs other than that of the newest released version are imported on demand. */
const rows = [
  [newest.version, loaded(newest)],
  [
    DRAFT_VERSION,
    {
      isOptIn: true,
      hasRoutes: true,
      hasService: true,
      cardPaths: newest.cardPaths,
      load: async () => (await import("./v1.1-draft/codec.js")).codec,
    },
  ],
  [
    "0.3",
    {
      hasRoutes: true,
      hasService: true,
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
] as const satisfies readonly (readonly [string, ServableVersion])[];

/**
 * A protocol version that a server can speak.
 *
 * @example
 * ```ts
 * const versions: readonly ServerVersion[] = ["1.0", "0.3", "0.1"];
 * ```
 */
export type ServerVersion = (typeof rows)[number][0];

/** All protocol versions that can be served, the newest released one first. */
export const servableVersions: ReadonlyMap<string, ServableVersion> = new Map<string, ServableVersion>(rows);

function loaded(codec: Codec): ServableVersion {
  const { routes, grpc, decisions } = codec;
  return {
    isUnlisted: decisions !== undefined && !isListable(decisions),
    hasRoutes: routes.length > 0,
    hasService: grpc !== undefined,
    cardPaths: codec.cardPaths,
    load: async () => codec,
  };
}

/**
 * Loads the codecs of some versions, the newest released one first.
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

/**
 * The codec of the version of a call. A version that is not served itself may be a dialect of a served one.
 * @param version as it is stored with a task or a webhook, but without former names
 * @param served the codecs of the served versions
 * @returns undefined if the version is no longer served
 */
export function codecOfCall(version: string, served: ReadonlyMap<string, Codec>): Codec | undefined {
  const own = served.get(version);
  if (own !== undefined) return own;
  const dialects = [...served.values()].flatMap((codec) => codec.dialects ?? []);
  return dialects.find((codec) => codec.version === version);
}

/**
 * The versions that are served if neither the options of the server nor the agent's card choose others: all releases of the newest major
 * version that may be in cards, and the version of requests that name none.
 */
export const defaultVersions: readonly string[] = [...servableVersions]
  .filter(([version, { isUnlisted = false, isOptIn = false }]) => {
    const isNewest = version.split(".")[0] === newest.version.split(".")[0];
    return (isNewest && !isUnlisted && !isOptIn) || version === UNNAMED_VERSION;
  })
  .map(([version]) => version);
