/** Where cards are, below an agent, the current path first (§8.2, §14.3). */
const WELL_KNOWN = ["/.well-known/agent-card.json", "/.well-known/agent.json", "/agentCard"];

/**
 * Where to look for the card of an agent, in this order: the well-known paths below the URL and, for a URL with a path, the
 * URL itself, which may be that of the card. A URL that says it is a card is looked at and nothing else.
 */
export function cardLocations(target: URL): readonly URL[] {
  if (target.pathname.endsWith(".json") || target.pathname.includes("/.well-known/")) return [target];
  const base = target.pathname.replace(/\/+$/, "");
  const known = WELL_KNOWN.map((path) => {
    const url = new URL(target);
    url.pathname = base + path;
    return url;
  });
  return base === "" ? known : [...known, target];
}
