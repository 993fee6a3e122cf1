import { cardLocations, unavailable } from "../client/card/fetch-card.js";
import { ClientError } from "../client/client-error.js";
import type { CardSource } from "./check.js";
import { parsed, type Unchecked } from "./json.js";
import { Unanswered } from "./verdict.js";
import type { Received, Wire } from "./wire.js";

/** A card and the exchange that fetched it. */
export interface FoundCard {
  readonly card: Unchecked;
  readonly source: CardSource;
}

/**
 * Fetches the card of an agent in a version. It tries one well-known path after the other.
 * @param isOldFirst whether the current path is tried last
 * @throws ClientError CARD_UNAVAILABLE, UNREACHABLE
 */
export async function findCard(
  wire: Wire,
  target: URL,
  { version, isOldFirst = false }: { readonly version: string; readonly isOldFirst?: boolean },
): Promise<FoundCard> {
  const requestHeaders = { accept: "application/json, application/a2a+json", "a2a-version": version };
  const [current, ...others] = cardLocations(target);
  const locations = [
    ...(current && !isOldFirst ? [current] : []),
    ...others,
    ...(current && isOldFirst ? [current] : []),
  ];
  let received: Received | undefined;
  for (const { href: url } of locations) {
    received = await wire.send({ method: "GET", url, headers: requestHeaders }).catch((cause: unknown) => {
      if (!(cause instanceof Unanswered)) throw cause;
      throw new ClientError("UNREACHABLE", `${target.origin}: ${cause.message}`, { cause });
    });
    const card = parsed(received.body);
    if (received.status === 200 && typeof card === "object" && card !== null)
      return { card, source: { url, requestHeaders, received } };
  }
  throw unavailable(target, `HTTP ${received?.status ?? "nothing"}`);
}
