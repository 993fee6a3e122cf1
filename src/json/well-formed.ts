/** What ECMAScript 2024 adds to texts. All runtimes that the library supports have it. */
interface Text {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

const SURROGATE = /\\u[dD]/g;

/** Whether JSON text may have an escaped surrogate. A search for the whole beginning of one would be slow where backslashes are dense. */
export function hasSurrogateEscape(text: string): boolean {
  const at = text.indexOf("\\");
  if (at === -1) return false;
  SURROGATE.lastIndex = at;
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
