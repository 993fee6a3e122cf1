import type { WireRoute } from "../../../versions/codec.js";
import { snakeCase } from "../../../versions/proto-json.js";

type Field = WireRoute["fields"][number];

/**
 * Reads request members from a query (§11.5). Each value is converted to the type of its member; a value that cannot be converted stays a
 * string, so that the validator reports it. Unknown parameters are passed on: the codec knows which of them are old names and drops the
 * others.
 */
export function readQuery(query: URLSearchParams, fields: WireRoute["fields"]): Record<string, unknown> {
  const given = new Map<string, string[]>();
  for (const [name, text] of query) {
    if (text === "") continue;
    const texts = given.get(name);
    if (texts === undefined) given.set(name, [text]);
    else texts.push(text);
  }
  const members: [string, unknown][] = [];
  for (const field of fields) {
    const texts = given.get(field.name) ?? given.get(snakeCase(field.name));
    if (texts !== undefined) members.push([field.name, readMember(field, texts)]);
    given.delete(field.name);
    given.delete(snakeCase(field.name));
  }
  for (const [name, texts] of given) members.push([name, texts.at(-1)]);
  return Object.fromEntries(members);
}

/** A list may be given by repeated parameters or with commas. Of any other member the last value counts. */
function readMember({ kind, repeated }: Field, texts: readonly string[]): unknown {
  const read = readers[kind] ?? ((text) => text);
  if (!repeated) return read(texts.at(-1) ?? "");
  return texts
    .flatMap((text) => text.split(","))
    .filter((text) => text !== "")
    .map(read);
}

const readers: Partial<Readonly<Record<Field["kind"], (text: string) => unknown>>> = {
  bool: (text) => BOOLEANS[text.toLowerCase()] ?? text,
  int32: readNumber,
  uint32: readNumber,
  enum: readNumber,
};

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

function readNumber(text: string): unknown {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}
