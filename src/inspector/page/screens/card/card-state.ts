import { signal } from "@preact/signals";
import { callableVersions, newestClientVersion } from "../../../../versions/client-codecs.js";
import { agentFetch } from "../../session/agent-fetch.js";
import { agentUrl } from "../../session/agent-url.js";
import { type CardPlace, findCardPlaces } from "./card-places.js";
import { keepCard, type LastCard } from "./last-card.js";

/** The cards of the agent that is open. */
export interface CardState {
  readonly agent: string;
  readonly places: readonly CardPlace[];
  /** The card when it was last opened from here. */
  readonly last: LastCard | undefined;
}

/** What was found at the places of the card; undefined until they were asked. */
export const cardState = signal<CardState | undefined>(undefined);

/** The first place that has a card. */
export function foundPlace(state: CardState | undefined): CardPlace | undefined {
  return state?.places.find(({ value }) => value !== undefined);
}

/** The answer that is checked: in the newest version, if the place knows it. */
export function checkedPlace(state: CardState | undefined): CardPlace | undefined {
  const found = foundPlace(state);
  return (
    state?.places.find(
      ({ url, version, value }) => url === found?.url && version === newestClientVersion && value,
    ) ?? found
  );
}

/** Asks all places again. */
export async function readCards(): Promise<void> {
  const agent = agentUrl.value;
  if (agent === undefined) return;
  const versions = callableVersions.filter((version) => /^\d+\.\d+$/.test(version));
  const places = await findCardPlaces({ agent, fetch: agentFetch({ agent }), versions });
  if (agentUrl.value !== agent) return;
  const state = { agent, places, last: undefined };
  const value = foundPlace(state)?.value;
  cardState.value = { ...state, last: value && keepCard(agent, value, localStorage) };
}
