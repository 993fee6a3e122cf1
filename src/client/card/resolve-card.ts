import type { CardSignatureError } from "../../card/card-signature-error.js";
import type { VerifyCardOptions } from "../../card/verify-card.js";
import type { Logger } from "../../protocol/logger.js";
import type { AgentCard } from "../../protocol/model.js";
import { modelGuard } from "../../protocol/model-guard.js";
import { ContractFault } from "../../versions/version.js";
import { ClientError, displayUrl } from "../client-error.js";
import {
  cardLocations,
  catalogFetcher,
  type FetchCardOptions,
  type FetchedCard,
  fetchCard,
  unavailable,
} from "./fetch-card.js";

/** Which signatures make a card trustworthy. */
export interface SignaturePolicy extends VerifyCardOptions {
  /** Accepts unsigned cards as well; false by default. A signed card needs a valid signature in any case (§8.4.3). */
  readonly allowUnsigned?: boolean | undefined;
}

/** Options of {@link findAgentCard}. */
export interface FindAgentCardOptions extends FetchCardOptions {
  /** Name or identifier of the agent in the catalog; undefined for the agent at the URL. */
  readonly agent?: string | undefined;
}

/** Options of {@link resolveCard}. */
export interface ResolveCardOptions extends FindAgentCardOptions {
  readonly signatures: SignaturePolicy | undefined;
  readonly lenient: boolean;
  readonly logger: Logger;
}

/** A decoded card. If the options have a policy for signatures, the card satisfies it. */
export interface ResolvedCard {
  readonly card: AgentCard;
  /** URL of the card, or of the catalog that contains it; undefined for a card that the caller supplied. */
  readonly url: URL | undefined;
}

/**
 * Finds and decodes the card of an agent, and verifies it if the options have a policy for signatures.
 *
 * @param target the agent's URL, the card's URL, or the card as a JSON value (§8.2); with the option `agent`, a URL of the host or that of
 *   its catalog
 * @throws ClientError CARD_INVALID, and the errors of {@link findAgentCard}
 * @throws CardSignatureError when the card's signatures do not satisfy the policy
 */
export async function resolveCard(target: URL | object, options: ResolveCardOptions): Promise<ResolvedCard> {
  const found =
    target instanceof URL ? await findAgentCard(target, options) : { value: target, url: undefined };
  const value = await trusted(found.value, options);
  return { card: await read(value, found.url, options), url: found.url };
}

/**
 * Finds the card of an agent, without verifying its signatures.
 * @throws ClientError CARD_UNAVAILABLE when there is none, or the catalog does not list exactly one agent with the name in `agent`; the
 * other errors of {@link fetchCard}
 */
export async function findAgentCard(target: URL, options: FindAgentCardOptions): Promise<FetchedCard> {
  if (options.agent !== undefined) return findNamed(target, options.agent, options);
  const locations = cardLocations(target);
  let failure: unknown;
  for (const url of locations) {
    try {
      const found = await fetchCard(url, options);
      if (found !== undefined) return found;
    } catch (error) {
      // Some sites serve a page at every path: try the next URL, and keep the first error.
      if (!(error instanceof ClientError) || error.code !== "INVALID_RESPONSE") throw error;
      failure ??= error;
    }
  }
  throw failure ?? unavailable(target, `"not found" at ${locations.map((url) => url.pathname).join(", ")}`);
}

/**
 * Finds the card of an agent that a catalog lists: in the catalog, at the URL that it gives, or below that URL, because some catalogs give
 * the URL of the agent instead of the card's. A card on another origin is fetched without the caller's headers.
 */
async function findNamed(target: URL, name: string, options: FindAgentCardOptions): Promise<FetchedCard> {
  const { cardIn, findInCatalog } = await import("./catalog.js");
  const place = await findInCatalog(target, name, catalogFetcher(target, options));
  if (!(place instanceof URL)) return place;
  const headers = place.origin === target.origin ? options.headers : {};
  const cardOptions = { ...options, headers, agent: undefined };
  // If `cardLocations` returns only the URL itself, `findAgentCard` alone requests it.
  const [, second] = cardLocations(place);
  return (second && (await cardIn(fetchCard(place, cardOptions)))) ?? findAgentCard(place, cardOptions);
}

/**
 * The trusted part of a card: the part that a valid signature covers (§8.4.3). Without a policy, and for an unsigned card that the policy
 * allows, all of it.
 */
async function trusted(value: unknown, { signatures }: ResolveCardOptions): Promise<unknown> {
  if (signatures === undefined) return value;
  // Verification needs a further library, so it is imported on demand.
  const { verifyCard } = await import("../../card/verify-card.js");
  try {
    return (await verifyCard(value, signatures)).card;
  } catch (error) {
    const { code } = error as Partial<CardSignatureError>;
    if (code === "UNSIGNED" && signatures.allowUnsigned === true) return value;
    throw error;
  }
}

const isAgentCard = modelGuard<AgentCard>("AgentCard");

/** Reads a card. The reader for cards of every version is imported only for a card that is not in the canonical form of the newest released version. */
async function read(
  value: unknown,
  url: URL | undefined,
  { lenient, logger }: ResolveCardOptions,
): Promise<AgentCard> {
  // A copy, because the cache may return the same value again.
  if (isAgentCard(value)) return JSON.parse(JSON.stringify(value)) as AgentCard;
  const { decodeCard } = await import("../../versions/decode-card.js");
  const where = url === undefined ? "The agent card" : `The agent card at ${displayUrl(url)}`;
  try {
    if (!lenient) return decodeCard(value);
    return decodeCard(value, ({ field, expected }) =>
      logger.warn({ field, expected }, `${where} is not valid`),
    );
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    const { field, expected } = error;
    throw new ClientError("CARD_INVALID", `${where} is not valid: ${error.message}`, { field, expected });
  }
}
