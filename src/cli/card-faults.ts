import { capabilities } from "../card/build-card.js";
import { isAgentCard } from "../model.js";
import { CardError } from "../server/card-error.js";
import { checkCard } from "../server/check-card.js";
import { violationOf } from "../wire/violation.js";

/** What is wrong with a card, and what is only odd about it; one sentence each. */
export interface CardFaults {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Json = Record<string, unknown>;

/**
 * Checks a card as it stands against the schema and the protocol's rules. Members that the schema does not know are odd, not
 * wrong: later versions of the protocol may know them.
 */
export function cardFaults(card: object): CardFaults {
  const value: unknown = structuredClone(card);
  const unknown: string[] = [];
  while (!isAgentCard(value)) {
    const { field, description } = violationOf(isAgentCard.errors);
    const [error] = isAgentCard.errors ?? [];
    if (error?.keyword !== "closed") return { problems: [`${field} ${description}`], warnings: unknown };
    remove(value as Json, error.instancePath, String(error.params.additionalProperty));
    unknown.push(`${field} is not a member that the schema knows`);
  }
  try {
    const facts = { url: "nowhere:", served: value.supportedInterfaces, wired: new Set(capabilities) };
    return { problems: [], warnings: [...unknown, ...checkCard(value, facts)] };
  } catch (error) {
    if (!(error instanceof CardError)) throw error;
    return { problems: error.problems, warnings: unknown };
  }
}

/** @param pointer JSON pointer to the object that has the member */
function remove(card: Json, pointer: string, member: string): void {
  let at: Json = card;
  for (const token of pointer.split("/").slice(1))
    at = at[token.replaceAll("~1", "/").replaceAll("~0", "~")] as Json;
  delete at[member];
}
