import { cardLocations } from "../../../../client/card/fetch-card.js";
import type { Fetch } from "../../../../client/exchange.js";

/** What was found at one place of a card. */
export interface CardPlace {
  readonly url: string;
  /** The version that the request named; undefined for none. */
  readonly version: string | undefined;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly text: string;
  /** The card as JSON; undefined when there is none. */
  readonly value: object | undefined;
  /** Why there is no card. */
  readonly problem: string | undefined;
}

/** Where to look for cards. */
export interface CardSearch {
  /** URL of the agent or of its card. */
  readonly agent: string;
  readonly fetch: Fetch;
  /** Versions in which to ask for a card that was found. */
  readonly versions: readonly string[];
}

/** Characters of a card that are read. */
const LIMIT = 2_000_000;

/** Asks every place where an agent may have its card, and each that has one again in every version. */
export async function findCardPlaces({ agent, fetch, versions }: CardSearch): Promise<readonly CardPlace[]> {
  const places = await Promise.all(
    cardLocations(new URL(agent)).map(({ href }) => placeAt(href, undefined, fetch)),
  );
  const found = places.filter(({ value }) => value !== undefined);
  const variants = await Promise.all(
    found.flatMap(({ url }) => versions.map((version) => placeAt(url, version, fetch))),
  );
  return [...places, ...variants];
}

async function placeAt(url: string, version: string | undefined, fetch: Fetch): Promise<CardPlace> {
  const requestHeaders = {
    Accept: "application/json",
    ...(version !== undefined && { "A2A-Version": version }),
  };
  const asked = { url, version, requestHeaders };
  try {
    const response = await fetch(url, { headers: requestHeaders });
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    const text = (await response.text()).slice(0, LIMIT);
    return { ...asked, status, headers, text, ...cardIn(status, text) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...asked, status: undefined, headers: {}, text: "", value: undefined, problem };
  }
}

function cardIn(status: number, text: string): Pick<CardPlace, "value" | "problem"> {
  if (status !== 200) return { value: undefined, problem: `Status ${status}` };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { value, problem: undefined };
  } catch {
    return { value: undefined, problem: "The answer is not JSON" };
  }
  return { value: undefined, problem: "The answer is JSON, but not an object" };
}
