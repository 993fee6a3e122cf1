/** Methods that ECMAScript 2024 adds to strings. All runtimes that the library supports have them; the types of ES2022 do not. */
interface Text {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

const SURROGATE = /\\u[dD]/g;

/** Characters for each backslash from which on a search for backslashes is faster than one for letters. */
const FAR = 64;

const [LETTER_U, LETTER_D, LOWER] = [0x75, 0x64, 0x20];

/**
 * Whether JSON text may have an escaped surrogate. Looks at what follows each backslash; from a place before which there were many of them
 * it searches for two letters instead, which rules out most texts, ten times as fast as the expression would.
 */
export function hasSurrogateEscape(text: string): boolean {
  let at = text.indexOf("\\");
  for (let seen = 1; at !== -1; seen += 1) {
    if (text.charCodeAt(at + 1) === LETTER_U && (text.charCodeAt(at + 2) | LOWER) === LETTER_D) return true;
    if (seen * FAR > at + 8 * FAR) return hasSurrogateLetters(text, at);
    // The next character is escaped, also if it is a backslash.
    at = text.indexOf("\\", at + 2);
  }
  return false;
}

/** The same from a backslash on. A search for the letters with their backslash would be slow in texts with many backslashes. */
function hasSurrogateLetters(text: string, backslash: number): boolean {
  const lower = text.indexOf("ud", backslash);
  const upper = text.indexOf("uD", backslash);
  if (lower === -1 && upper === -1) return false;
  SURROGATE.lastIndex = (lower === -1 || upper === -1 ? Math.max(lower, upper) : Math.min(lower, upper)) - 1;
  return SURROGATE.test(text);
}

/**
 * Replaces lone surrogates in a parsed JSON value, names included, by U+FFFD. Changes the value; returns it or its replacement. Each string
 * is left to the runtime: replacing the escapes in JSON text with many of them would take twenty times as long as parsing it.
 */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return (value as unknown as Text).toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = wellFormed(item);
    return value;
  }
  const members = value as Record<string, unknown>;
  let areNamesWellFormed = true;
  for (const name of Object.keys(members)) {
    members[name] = wellFormed(members[name]);
    areNamesWellFormed &&= (name as unknown as Text).isWellFormed();
  }
  return areNamesWellFormed
    ? members
    : Object.fromEntries(
        Object.entries(members).map(([name, member]) => [wellFormed(name) as string, member]),
      );
}
