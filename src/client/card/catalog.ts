import { isJsonObject } from "../../json/json-text.js";
import { parseUrl } from "../../net/url.js";
import { ClientError, displayUrl } from "../client-error.js";
import type { FetchedCard } from "./fetch-card.js";

/** Fetches a catalog. */
export type FetchCatalog = (url: URL) => Promise<FetchedCard>;

/** An agent in the catalog of a host. */
export interface CatalogEntry {
  /** Empty if the entry has none. */
  readonly identifier: string;
  /** The displayed name, or the identifier if there is none. */
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  /** The URL in the entry, of the card or of the agent, or the card itself if the catalog contains it. */
  readonly card: URL | FetchedCard;
}

const PATH = "/.well-known/ai-catalog.json";
const CATALOG_TYPE = "application/ai-catalog+json";
const CARD_TYPE = "application/a2a-agent-card+json";

/** Maximum number of catalogs to read, because catalogs may refer to others. Further ones are ignored. */
const MAX_CATALOGS = 10;

/**
 * Reads the catalog of a host and those to which it refers, at most {@link MAX_CATALOGS} in all.
 * @param target URL of the catalog, whose path ends with `.json`, or another URL of the host
 * @throws ClientError INVALID_RESPONSE for what is not a catalog; the errors of `fetchCatalog`, such as CARD_UNAVAILABLE when there is none
 */
export async function readCatalog(target: URL, fetchCatalog: FetchCatalog): Promise<readonly CatalogEntry[]> {
  const first = target.pathname.endsWith(".json") ? withoutFragment(target) : new URL(PATH, target);
  const found: CatalogEntry[] = [];
  const left: (URL | FetchedCard)[] = [first];
  /** URLs of the catalogs that have been read, before and after redirects. */
  const seen = new Set<string>();
  let count = 0;
  for (let next = left.shift(); next !== undefined && count < MAX_CATALOGS; next = left.shift()) {
    if (next instanceof URL && seen.has(next.href)) continue;
    count += 1;
    const { value, url } = next instanceof URL ? await fetchCatalog(next) : next;
    if (next instanceof URL) {
      const isRead = seen.has(url.href);
      seen.add(next.href).add(url.href);
      if (isRead) continue;
    }
    for (const entry of entriesIn(value, url)) {
      const place = placeOf(entry, url);
      if (place === undefined) continue;
      if (entry.type === CATALOG_TYPE) left.push(place);
      if (entry.type === CARD_TYPE) found.push(entryOf(entry, place));
    }
  }
  return found;
}

/**
 * Finds an agent in the catalog of a host. Entries with the same URL are one agent.
 * @param name its identifier, or its displayed name, whose case is ignored; an agent with this identifier takes precedence
 * @returns the URL in its entry, or the card itself if the catalog contains it
 * @throws ClientError as {@link readCatalog}; CARD_UNAVAILABLE when no agent has the name, or several have
 */
export async function findInCatalog(
  target: URL,
  name: string,
  fetchCatalog: FetchCatalog,
): Promise<URL | FetchedCard> {
  const entries = await readCatalog(target, fetchCatalog);
  const lower = name.toLowerCase();
  const exact = entries.filter(({ identifier }) => identifier === name);
  const found = exact.length > 0 ? exact : entries.filter((one) => one.name.toLowerCase() === lower);
  const [entry, ...others] = found;
  if (entry !== undefined && others.every(({ card }) => isSame(card, entry.card))) return entry.card;
  const names = new Set(
    entry === undefined
      ? entries.map((one) => one.name || distinction(one, name))
      : found.map((one) => distinction(one, name)),
  );
  const fault = entry === undefined ? "has no agent" : "has several agents";
  const received = [...names].join(", ") || "none";
  throw new ClientError(
    "CARD_UNAVAILABLE",
    `The catalog of ${displayUrl(target)} ${fault} named "${name}"; it has ${received}`,
    { expected: name, received },
  );
}

/** Whether two entries have the same URL. Cards that a catalog contains count as different. */
function isSame(one: CatalogEntry["card"], other: CatalogEntry["card"]): boolean {
  return one instanceof URL && other instanceof URL && one.href === other.href;
}

/**
 * What distinguishes an agent from others with the same name: its identifier. If that is the name itself or missing, the URL in its entry,
 * or its displayed name if the catalog contains its card.
 */
function distinction({ identifier, name: displayed, card }: CatalogEntry, name: string): string {
  if (identifier !== "" && identifier !== name) return identifier;
  return card instanceof URL ? displayUrl(card) : displayed;
}

/**
 * The card at the URL in an entry. Undefined if something else is there or the request fails with a ClientError, because the URL may be
 * that of the agent.
 * @throws other errors, such as the reason of the caller's signal
 */
export async function cardIn(fetching: Promise<FetchedCard | undefined>): Promise<FetchedCard | undefined> {
  try {
    const found = await fetching;
    // Cards of every version have this member.
    return isJsonObject(found?.value) && "capabilities" in found.value ? found : undefined;
  } catch (error) {
    if (error instanceof ClientError) return undefined;
    throw error;
  }
}

type Json = Readonly<Record<string, unknown>>;

function entriesIn(value: unknown, url: URL): readonly Json[] {
  const entries = isJsonObject(value) ? value.entries : undefined;
  if (Array.isArray(entries)) return entries.filter(isJsonObject);
  throw new ClientError(
    "INVALID_RESPONSE",
    `${displayUrl(url)} is not an AI catalog: it has no list "entries"`,
    {
      field: "entries",
      expected: "a list",
      received: typeof entries,
    },
  );
}

/**
 * The document of an entry if the catalog contains it, else its URL, resolved against that of the catalog; undefined if the entry has
 * neither, or if its URL is not http or https.
 */
function placeOf({ url, data }: Json, catalog: URL): URL | FetchedCard | undefined {
  if (isJsonObject(data)) return { value: data, url: catalog };
  const place = typeof url === "string" ? parseUrl(url, catalog) : undefined;
  return place !== undefined && /^https?:$/.test(place.protocol) ? place : undefined;
}

function entryOf(
  { identifier, displayName, description, version }: Json,
  card: CatalogEntry["card"],
): CatalogEntry {
  const id = typeof identifier === "string" ? identifier : "";
  return {
    identifier: id,
    name: typeof displayName === "string" && displayName !== "" ? displayName : id,
    ...(typeof description === "string" && { description }),
    ...(typeof version === "string" && { version }),
    card,
  };
}

function withoutFragment(url: URL): URL {
  const copy = new URL(url);
  copy.hash = "";
  return copy;
}
