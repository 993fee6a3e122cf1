/**
 * Texts of a length that are slow to read for a reader that looks at the same characters again and again: each is what the
 * repeated part of some pattern goes through in vain.
 */
export function slowTexts(length: number): Record<string, string> {
  const filled = (unit: string) => unit.repeat(Math.floor(length / unit.length));
  return {
    letters: filled("a"),
    "spaces between letters": `a${filled(" ")}b`,
    "spaces after a separator": `;${filled(" ")}b`,
    digits: `${filled("1")}x`,
    dots: filled("1."),
    slashes: filled("/"),
    "slashes and letters": filled("/a"),
    commas: filled(","),
    "a list": filled("a,"),
    "a list with spaces": filled("a , "),
    semicolons: filled(";"),
    pairs: filled("a=b;"),
    "quotes that are not closed": filled('for="'),
    "pairs that are not closed": filled(';for="'),
    "quotes and backslashes": filled('"\\'),
    brackets: `[${filled("]:1")}x`,
    colons: filled(":"),
    "groups of an address": `::${filled("0:")}`,
    percents: filled("%"),
    escapes: filled("%41"),
    "escapes that are no text": filled("%ff"),
    parameters: filled("a=1&"),
    dashes: filled("-"),
    "equal signs": filled("="),
    "a token": `Bearer ${filled("a.")}`,
    "a token with padding": `Bearer ${filled("a=")}`,
    "spaces before credentials": `Bearer${filled(" ")}`,
    base64: `Basic ${filled("YTo=")}`,
    tags: filled('W/"a",'),
  };
}

/** Milliseconds of CPU that something takes: the least of several times, as other work of the process comes on top. */
export async function leastCost(budget: number, run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 4 && least > budget; tries += 1) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
