/** A card as it was when it was last opened from here. */
export interface LastCard {
  /** ISO 8601. */
  readonly at: string;
  readonly value: object;
}

const PREFIX = "inspector-card:";
/** Cards that are kept. */
const MOST = 20;

/**
 * Keeps a card for the next time. Public cards only: cards for authenticated callers are not kept.
 * @returns the one that was kept before
 */
export function keepCard(
  url: string,
  value: object,
  storage: Storage,
  now = new Date(),
): LastCard | undefined {
  const key = PREFIX + url;
  const before = storage.getItem(key);
  const kept = Object.keys(storage).filter((name) => name.startsWith(PREFIX) && name !== key);
  for (const name of kept.slice(0, Math.max(0, kept.length - MOST + 1))) storage.removeItem(name);
  try {
    storage.setItem(key, JSON.stringify({ at: now.toISOString(), value } satisfies LastCard));
  } catch {
    // The storage is full: there is nothing to compare with the next time.
  }
  return before === null ? undefined : (JSON.parse(before) as LastCard);
}
