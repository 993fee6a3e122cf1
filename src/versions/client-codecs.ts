import type { AgentCard } from "../protocol/model.js";
import type { ClientCodec, Tolerate } from "./client-codec.js";
import { camelCased } from "./translation.js";
import { cardToModel } from "./v0.1/decode-card.js";
import { cardToModel as flatCardToModel } from "./v0.1/flat/decode-card.js";
import { clientCodec as newest } from "./v1.0/client-codec.js";
import { decodeCard as decodeNewestCard } from "./v1.0/decode-card.js";
import { FIRST_DRAFT_VERSION, FLAT_VERSION } from "./version.js";

/** The version that cards are asked for in (§3.6.1). */
export const newestClientVersion = newest.version;

/** Every protocol version that agents can be called in, newest first. Older codecs are imported on demand. */
const loaders: ReadonlyMap<string, () => Promise<ClientCodec>> = new Map([
  [newest.version, async () => newest],
  ["0.3", async () => (await import("./v0.3/client-codec.js")).clientCodec],
  ["0.2", async () => (await import("./v0.3/client-codec.js")).olderClientCodec],
  ["0.1", async () => (await import("./v0.1/client-codec.js")).clientCodec],
  [FLAT_VERSION, async () => (await import("./v0.1/flat/client-codec.js")).clientCodec],
]);

/** The versions that agents can be called in, the newest first. */
export const callableVersions: readonly string[] = [...loaders.keys()];

/**
 * The versions in which the body of a webhook is read, the likeliest first. The first draft and its dialect are told by what their
 * events say they are, or by a status or artifact in no context, which every later version names.
 */
export function notifyingVersions(body: unknown): readonly string[] {
  const { type, eventType, kind, contextId, status, artifact } = camelCased(body);
  const isDraft = [type, eventType].some((word) => typeof word === "string");
  const isBare = (kind ?? contextId) === undefined && (status ?? artifact) !== undefined;
  return isDraft || isBare ? [FIRST_DRAFT_VERSION] : callableVersions;
}

/**
 * The codec of a version for callers.
 * @throws TypeError when there is none
 */
export async function loadClientCodec(version: string): Promise<ClientCodec> {
  const load = loaders.get(version);
  if (load === undefined) throw new TypeError(`Agents cannot be called in version ${version}`);
  return load();
}

/**
 * Reads an agent card of any generation in the terms of the newest.
 * @throws ContractFault naming the member
 */
export function decodeCard(value: unknown, tolerate?: Tolerate): AgentCard {
  return decodeNewestCard(cardToModel(flatCardToModel(value)), tolerate);
}
