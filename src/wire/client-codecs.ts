import type { AgentCard } from "../model.js";
import type { ClientCodec, Tolerate } from "./client-codec.js";
import { cardToModel } from "./v0.1/decode-card.js";
import { cardToModel as flatCardToModel } from "./v0.1x/decode-card.js";
import { clientCodec as newest } from "./v1.0/client-codec.js";
import { decodeCard as decodeNewestCard } from "./v1.0/decode-card.js";

/** The version that cards are asked for in (§3.6.1). */
export const newestClientVersion = newest.version;

/** Every protocol version that agents can be called in, the newest first. Older ones are loaded when an agent needs them. */
const loaders: ReadonlyMap<string, () => Promise<ClientCodec>> = new Map([
  [newest.version, async () => newest],
  ["0.3", async () => (await import("./v0.3/client-codec.js")).clientCodec],
  ["0.2", async () => (await import("./v0.3/client-codec.js")).olderClientCodec],
  ["0.1", async () => (await import("./v0.1/client-codec.js")).clientCodec],
  ["0.1x", async () => (await import("./v0.1x/client-codec.js")).clientCodec],
]);

/** The versions that agents can be called in, the newest first. */
export const callableVersions: readonly string[] = [...loaders.keys()];

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
