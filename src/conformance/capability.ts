import type { Surroundings } from "./check.js";
import { at } from "./json.js";
import { Unprovoked } from "./verdict.js";

/** A capability that a card can declare. */
export type Capability = "streaming" | "pushNotifications" | "extendedAgentCard";

/** Whether the card declares a capability. */
function declares({ card }: Surroundings, capability: Capability): boolean {
  return at(card, "capabilities", capability) === true;
}

/** @throws Unprovoked unless the card declares the capability */
export function needs(subject: Surroundings, capability: Capability): void {
  if (!declares(subject, capability)) throw new Unprovoked(`the card does not declare ${capability}`);
}

/** @throws Unprovoked when the card declares the capability */
export function lacks(subject: Surroundings, capability: Capability): void {
  if (declares(subject, capability)) throw new Unprovoked(`the card declares ${capability}`);
}
