import type { AgentCard } from "../model.js";
import type { ClientCodec, Tolerate } from "./client-codec.js";
import { clientCodec as draft } from "./v0.1/client-codec.js";
import { cardToModel } from "./v0.1/decode-card.js";
import { clientCodec as flatDraft } from "./v0.1x/client-codec.js";
import { cardToModel as flatCardToModel } from "./v0.1x/decode-card.js";
import { clientCodec as second } from "./v0.3/client-codec.js";
import { clientCodec as newest } from "./v1.0/client-codec.js";
import { decodeCard as decodeNewestCard } from "./v1.0/decode-card.js";

/** Every protocol version that agents can be called in, the newest first. */
export const clientCodecs: ReadonlyMap<string, ClientCodec> = new Map(
  [newest, second, draft, flatDraft].map((codec) => [codec.version, codec]),
);

/** The version that cards are asked for in (§3.6.1). */
export const newestClientVersion = newest.version;

/**
 * Reads an agent card of any generation in the terms of the newest.
 * @throws ContractFault naming the member
 */
export function decodeCard(value: unknown, tolerate?: Tolerate): AgentCard {
  return decodeNewestCard(cardToModel(flatCardToModel(value)), tolerate);
}
