import type { Fetch } from "../../../../client/exchange.js";
import { earlierVersionOf } from "../../../../conformance/check-earlier.js";
import { cardChecks } from "../../../../conformance/checks/card.js";
import { Inconclusive } from "../../../../conformance/verdict.js";
import { Wire } from "../../../../conformance/wire.js";
import { decodeCard } from "../../../../versions/decode-card.js";
import type { CardPlace } from "./card-places.js";

/** A check of the card with its outcome. */
export interface CheckedRule {
  /** Ids of requirements. */
  readonly ids: readonly string[];
  readonly claim: string;
  readonly verdict: "met" | "violated" | "open";
  /** What was found instead, or why it could not be checked. */
  readonly found: string | undefined;
}

/** The outcome of all checks of a card. */
export interface CheckedCard {
  /** The earlier version that the card is written in; undefined for the newest. */
  readonly earlierVersion: string | undefined;
  readonly rules: readonly CheckedRule[];
  /** Members that the page could not read as the protocol defines them. */
  readonly faults: readonly { readonly field: string; readonly expected: string }[];
}

/** Seconds that a check may wait for an answer. */
const TIMEOUT = 10;

/** Checks a card against the requirements. One in an earlier version is read member by member only. */
export async function judgeCard(place: CardPlace, fetch: Fetch): Promise<CheckedCard> {
  const card = place.value;
  const faults: { field: string; expected: string }[] = [];
  try {
    decodeCard(card, ({ field, expected }) => faults.push({ field: field ?? "", expected: expected ?? "" }));
  } catch (error) {
    faults.push({ field: "", expected: error instanceof Error ? error.message : String(error) });
  }
  const earlierVersion = earlierVersionOf(card);
  if (earlierVersion !== undefined) return { earlierVersion, faults, rules: [] };
  const signal = new AbortController().signal;
  const { url, requestHeaders, status = 0, headers, text: body } = place;
  const received = { status, headers: new Headers(headers), body };
  const subject = {
    ...{ card, wire: new Wire({ fetch, responseTimeout: TIMEOUT, signal }), peers: [] },
    ...{ isSecured: false, hasOther: false, source: { url, requestHeaders, received } },
  };
  const rules: CheckedRule[] = [];
  for (const { ids, claim, run } of cardChecks) {
    const found = await run(subject).then(
      () => undefined,
      (error: unknown) => error,
    );
    const verdict = found === undefined ? "met" : found instanceof Inconclusive ? "open" : "violated";
    rules.push({ ids, claim, verdict, found: found instanceof Error ? found.message : undefined });
  }
  return { earlierVersion, faults, rules };
}
