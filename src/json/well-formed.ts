/** What ECMAScript 2024 adds to texts. All runtimes that the library supports have it. */
interface Text {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

const SURROGATE = /\\u[dD]/g;

/**
 * Whether JSON text may have an escaped surrogate. Most texts are ruled out by two letters, which the runtime finds ten times as fast as the
 * expression does. It would find the whole beginning of an escape slowly where backslashes are dense.
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
 * Replaces lone surrogates in a parsed JSON value, names included, by U+FFFD. Changes the value; returns what takes its place. The runtime
 * does the work on the texts: done on the JSON text, it would take twenty times as long as parsing where escapes are dense.
 */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return (value as unknown as Text).toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = wellFormed(item);
    return value;
  }
  const members = value as Record<string, unknown>;
  let isRight = true;
  for (const name of Object.keys(members)) {
    members[name] = wellFormed(members[name]);
    isRight &&= (name as unknown as Text).isWellFormed();
  }
  return isRight
    ? members
    : Object.fromEntries(
        Object.entries(members).map(([name, member]) => [wellFormed(name) as string, member]),
      );
}
