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
  /** URL of the card, or the card itself if the catalog contains it. */
  readonly card: URL | FetchedCard;
}

const PATH = "/.well-known/ai-catalog.json";
const CATALOG_TYPE = "application/ai-catalog+json";
const CARD_TYPE = "application/a2a-agent-card+json";

/** Maximum number of catalogs to read, because a catalog may refer to others. Further ones are ignored. */
const MAX_CATALOGS = 10;

/**
 * Reads the catalog of a host, and the catalogs to which it refers.
 * @param target URL of the catalog, whose path ends with `.json`, or another URL of the host
 * @throws ClientError INVALID_RESPONSE for what is not a catalog; the errors of `fetchCatalog`, such as CARD_UNAVAILABLE when there is none
 */
export async function readCatalog(target: URL, fetchCatalog: FetchCatalog): Promise<readonly CatalogEntry[]> {
  const first = target.pathname.endsWith(".json") ? withoutFragment(target) : new URL(PATH, target);
  const found: CatalogEntry[] = [];
  const left: (URL | FetchedCard)[] = [first];
  const seen = new Set<string>();
  for (let next = left.shift(); next !== undefined && seen.size < MAX_CATALOGS; next = left.shift()) {
    const key = next instanceof URL ? next.href : `${next.url.href} ${seen.size}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const { value, url } = next instanceof URL ? await fetchCatalog(next) : next;
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
 * Finds an agent in the catalog of a host.
 * @param name its identifier, or its displayed name, whose case is ignored
 * @returns the URL of its card, or the card itself if the catalog contains it
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
  const [entry, other] = exact.length > 0 ? exact : entries.filter((one) => one.name.toLowerCase() === lower);
  if (entry !== undefined && other === undefined) return entry.card;
  const names = entries.map((one) => (other === undefined ? one.name : one.identifier));
  const fault = other === undefined ? "has no agent" : "has several agents";
  throw new ClientError(
    "CARD_UNAVAILABLE",
    `The catalog of ${displayUrl(target)} ${fault} named "${name}"; it has ${names.join(", ") || "none"}`,
    { expected: name, received: names.join(", ") || "none" },
  );
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
 * neither, or a URL that is not one of HTTP.
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
