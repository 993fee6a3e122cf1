/** A JSON value from an agent, whose type is not known. The name says that it has not been checked. */
export type Unchecked = unknown;

/** The value at a path of member names and indexes; undefined if there is none. */
export function at(value: Unchecked, ...path: readonly (string | number)[]): Unchecked {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}

/** The string at a path; `""` if there is none. */
export function textAt(value: Unchecked, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The list at a path; empty if there is none. */
export function listAt(value: Unchecked, ...path: readonly (string | number)[]): readonly Unchecked[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Parses JSON; undefined for invalid text. */
export function parsed(text: string): Unchecked {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON for an error text, shortened. */
export function excerptOf(value: Unchecked): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const MAX_SHOWN = 160;
