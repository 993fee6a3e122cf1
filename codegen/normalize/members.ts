import type { Place } from "../problems.js";

/** A JSON object whose members have not been checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object; arrays and null are not. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads an object and reports every member outside `known`. A value of another type reads as empty. */
export function readObject(value: unknown, known: readonly string[], place: Place): JsonObject {
  if (!isObject(value)) {
    place.report("must be an object");
    return {};
  }
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) place.at(name).report(`unknown keyword "${name}"`);
  }
  return value;
}

/** Reads a non-empty string that matches `pattern`. Returns `""` after a report. */
export function readString(owner: JsonObject, name: string, place: Place, pattern?: RegExp): string {
  const value = owner[name];
  if (typeof value !== "string" || value === "") {
    place.at(name).report(value === undefined ? `"${name}" is missing` : "must be a non-empty string");
    return "";
  }
  if (pattern && !pattern.test(value)) place.at(name).report(`"${value}" does not match ${pattern.source}`);
  return value;
}

/** Reads a description. It must not contain the end of a comment, because it is printed into block comments. */
export function readDescription(owner: JsonObject, place: Place): string {
  const text = readString(owner, "description", place);
  if (text.includes("*/")) place.at("description").report('must not contain "*/"');
  return text;
}

/** Reads an integer in `[from, to]`; undefined, without a report, if it is absent. */
export function readInteger(
  owner: JsonObject,
  name: string,
  place: Place,
  [from, to]: readonly [number, number],
): number | undefined {
  const value = owner[name];
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= from && value <= to) return value;
  place.at(name).report(`must be an integer from ${from} to ${to}`);
  return undefined;
}

/** Reads a boolean; absent reads as false. */
export function readBoolean(owner: JsonObject, name: string, place: Place): boolean {
  const value = owner[name] ?? false;
  if (typeof value === "boolean") return value;
  place.at(name).report("must be true or false");
  return false;
}

/** Reads a list of distinct strings; empty if it is absent. Reports every other element and every duplicate. */
export function readNames(owner: JsonObject, name: string, place: Place): string[] {
  const value = owner[name] ?? [];
  if (!Array.isArray(value)) {
    place.at(name).report("must be a list of names");
    return [];
  }
  const names: string[] = [];
  value.forEach((item: unknown, index) => {
    const here = place.at(name, index);
    if (typeof item !== "string" || item === "") here.report("must be a non-empty string");
    else if (names.includes(item)) here.report(`"${item}" is listed twice`);
    else names.push(item);
  });
  return names;
}

/** Reports each value that occurs a second time; `at` gives the place of an entry. */
export function reportDoubles(values: readonly string[], what: string, at: (index: number) => Place): void {
  values.forEach((value, index) => {
    if (value !== "" && values.indexOf(value) < index) at(index).report(`${what} "${value}" is used twice`);
  });
}
