const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Number of characters that are read one by one after an escape, because escapes often come in groups. */
const STRETCH = 4096;

/**
 * The end of a string in JSON text: the next quote that is not escaped, or the end of the text.
 * @param from where the string begins, after its opening quote
 */
export function closingQuote(text: string, from: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    if (text.charCodeAt(quote - 1) !== BACKSLASH || quote === at) return quote;
    // Whether the quote is escaped depends on the whole run of backslashes before it.
    at = runBefore(text, at, quote);
    at = plainEnd(text, at, quote + STRETCH);
    if (text.charCodeAt(at) === QUOTE) return at;
  }
}

/**
 * Replaces strings in JSON text, such as the values of some members. The end of the text may be missing.
 * @param before a global pattern of what precedes a string, up to its opening quote
 */
export function replaceStrings(text: string, before: RegExp, replacement: string): string {
  let result = "";
  let at = 0;
  for (const { 0: found, index } of text.matchAll(before)) {
    const start = index + found.length;
    if (start < at) continue;
    result += text.slice(at, start) + replacement;
    at = closingQuote(text, start);
  }
  return result + text.slice(at);
}

/** The start of the run of backslashes before a position. */
function runBefore(text: string, from: number, position: number): number {
  let at = position - 1;
  while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
  return at;
}

/** The next quote before `end` that is not escaped; without one, a position from `end` on that is not escaped. */
function plainEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}
