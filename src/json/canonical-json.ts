/** Half of a surrogate pair, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * JSON text in the canonical form of RFC 8785 (JCS): members sorted by UTF-16 code units, numbers and strings as in
 * ECMAScript, no whitespace (§8.4.1). Undefined members are omitted.
 *
 * @throws TypeError for what JSON cannot represent, such as NaN, infinities, functions, lone surrogates
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object") throw new TypeError(`A ${typeof value} has no JSON form`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${quoted(name)}:${canonicalJson(member)}`).join(",")}}`;
}

function quoted(text: string): string {
  if (LONE_SURROGATE.test(text)) throw new TypeError("A lone surrogate has no JSON form");
  return JSON.stringify(text);
}
