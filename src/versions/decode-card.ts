import type { AgentCard } from "../protocol/model.js";
import type { Tolerate } from "./client-codec.js";
import { upgradeCard } from "./v0.1/decode-card.js";
import { upgradeFlatCard } from "./v0.1/flat/decode-card.js";
import { decodeCard as decodeNewestCard } from "./v1.0/decode-card.js";

/**
 * Reads an agent card of any version, and returns it in the form of the newest.
 * @param tolerate receives the fault of an invalid card, as {@link decodeNewestCard} says
 * @throws ContractFault that names the first invalid member
 */
export function decodeCard(value: unknown, tolerate?: Tolerate): AgentCard {
  return decodeNewestCard(upgradeCard(upgradeFlatCard(value)), tolerate);
}
