/**
 * What kind of value stands at a path of a JSON value, in words; never the value, which may be personal.
 * @param path as in `status.message.parts[0]`; `""` is the value itself
 */
export function kindAt(value: unknown, path: string): string {
  let found = value;
  for (const [name] of path.matchAll(/[^.[\]]+/g)) {
    const holds = typeof found === "object" && found !== null && Object.hasOwn(found, name);
    found = holds ? (found as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  if (found === undefined) return "nothing";
  if (found === null) return "null";
  if (Array.isArray(found)) return `a list of ${found.length}`;
  if (typeof found === "string") return found === "" ? "empty text" : "other text";
  return typeof found === "object" ? "an object" : `a ${typeof found}`;
}
