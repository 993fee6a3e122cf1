/** Methods that ECMAScript 2024 adds to strings. All runtimes that the library supports have them; the types of ES2022 do not. */
interface Text {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

const SURROGATE = /\\u[dD]/g;

/**
 * Whether JSON text may have an escaped surrogate. The search for two letters rules out most texts, ten times as fast as the expression
 * would. A search for the letters with their backslash would be slow in texts with many backslashes.
 */
export function hasSurrogateEscape(text: string): boolean {
  const backslash = text.indexOf("\\");
  if (backslash === -1) return false;
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
