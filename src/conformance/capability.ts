import type { CheckDeps } from "./check.js";
import { at } from "./json.js";
import { Inconclusive } from "./verdict.js";

/** A capability that a card can declare. */
type Capability = "streaming" | "pushNotifications" | "extendedAgentCard";

/** Whether the card declares a capability. */
function declares({ card }: CheckDeps, capability: Capability): boolean {
  return at(card, "capabilities", capability) === true;
}

/** @throws Inconclusive unless the card declares the capability */
export function needs(subject: CheckDeps, capability: Capability): void {
  if (!declares(subject, capability)) throw new Inconclusive(`the card does not declare ${capability}`);
}

/** @throws Inconclusive when the card declares the capability */
export function lacks(subject: CheckDeps, capability: Capability): void {
  if (declares(subject, capability)) throw new Inconclusive(`the card declares ${capability}`);
}
