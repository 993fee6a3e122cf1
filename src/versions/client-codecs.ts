import type { AgentCard } from "../protocol/model.js";
import type { ClientCodec, Tolerate } from "./client-codec.js";
import { camelCased } from "./translation.js";
import { cardToModel } from "./v0.1/decode-card.js";
import { cardToModel as flatCardToModel } from "./v0.1/flat/decode-card.js";
import { clientCodec as newest } from "./v1.0/client-codec.js";
import { decodeCard as decodeNewestCard } from "./v1.0/decode-card.js";
import { FIRST_DRAFT_VERSION, FLAT_VERSION } from "./version.js";

/** The version in which cards are requested (§3.6.1). */
export const newestClientVersion = newest.version;

/** A loader for the codec of each protocol version, newest first. Codecs of older versions are imported on demand. */
const rows = [
  [newest.version, async () => newest],
  ["0.3", async () => (await import("./v0.3/client-codec.js")).clientCodec],
  ["0.2", async () => (await import("./v0.3/client-codec.js")).olderClientCodec],
  ["0.1", async () => (await import("./v0.1/client-codec.js")).clientCodec],
  [FLAT_VERSION, async () => (await import("./v0.1/flat/client-codec.js")).clientCodec],
] as const satisfies readonly (readonly [string, () => Promise<ClientCodec>])[];

/**
 * A protocol version that a client can speak.
 *
 * @example
 * ```ts
 * const versions: readonly ClientVersion[] = ["1.0", "0.3"];
 * ```
 */
export type ClientVersion = (typeof rows)[number][0];

const loaders: ReadonlyMap<string, () => Promise<ClientCodec>> = new Map<string, () => Promise<ClientCodec>>(
  rows,
);

/** All protocol versions in which agents can be called, newest first. */
export const callableVersions: readonly string[] = [...loaders.keys()];

/**
 * The versions to try for the body of a webhook call, the most likely first. Events of the first draft and its dialect are recognised by
 * their type, or by a status or artifact without a context: in later versions every event has one.
 */
export function notifyingVersions(body: unknown): readonly string[] {
  const { type, eventType, kind, contextId, status, artifact } = camelCased(body);
  const isDraft = [type, eventType].some((word) => typeof word === "string");
  const isBare = (kind ?? contextId) === undefined && (status ?? artifact) !== undefined;
  return isDraft || isBare ? [FIRST_DRAFT_VERSION] : callableVersions;
}

/**
 * Loads the client codec of a version.
 * @throws TypeError for an unknown version
 */
export async function loadClientCodec(version: string): Promise<ClientCodec> {
  const load = loaders.get(version);
  if (load === undefined) throw new TypeError(`Agents cannot be called in version ${version}`);
  return load();
}

/**
 * Reads an agent card of any version in the form of the newest.
 * @throws ContractFault that names the invalid member
 */
export function decodeCard(value: unknown, tolerate?: Tolerate): AgentCard {
  return decodeNewestCard(cardToModel(flatCardToModel(value)), tolerate);
}
