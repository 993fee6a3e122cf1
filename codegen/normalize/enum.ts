import type { Place } from "../problems.js";
import type { Enum, EnumValue } from "../spec-model.js";
import { readDescription, readNames, readObject, readString, reportDoubles } from "./members.js";

const enumKeywords = [
  "type",
  "description",
  "enum",
  "x-enum-numbers",
  "x-enum-fallbacks",
  "x-enum-descriptions",
  "deprecated",
  "x-reserved",
];
const enumValueName = /^[A-Za-z][A-Za-z0-9_+-]*$/;
/** Key of the fallback for values that an import adds. */
const newcomer = "*";

/** Reads an enum. */
export function readEnum(name: string, value: unknown, place: Place): Enum {
  const keywords = readObject(value, enumKeywords, place);
  if (keywords.type !== "string") place.at("type").report('must be "string"');
  const names = readNames(keywords, "enum", place);
  if (names.length === 0) place.at("enum").report("lists no value");
  const numbers = keywords["x-enum-numbers"] ?? names.map((_, index) => index);
  if (!Array.isArray(numbers) || numbers.length !== names.length) {
    place.at("x-enum-numbers").report("must list one number per value");
  }
  const texts = readObject(keywords["x-enum-descriptions"], names, place.at("x-enum-descriptions"));
  const fallbacks = readFallbacks(keywords["x-enum-fallbacks"], names, place.at("x-enum-fallbacks"));
  const values = names.map((valueName, index): EnumValue => {
    if (!enumValueName.test(valueName)) {
      place.at("enum", index).report(`"${valueName}" does not match ${enumValueName.source}`);
    }
    const number: unknown = Array.isArray(numbers) ? numbers[index] : undefined;
    if (!Number.isInteger(number)) place.at("x-enum-numbers", index).report("must be an integer");
    const description = readString(texts, valueName, place.at("x-enum-descriptions"));
    if (description.includes("*/")) {
      place.at("x-enum-descriptions", valueName).report('must not contain "*/"');
    }
    const fallback = fallbacks.get(valueName);
    return {
      name: valueName,
      number: typeof number === "number" ? number : 0,
      description,
      ...(fallback !== undefined && { fallback }),
    };
  });
  reportDoubles(
    values.map(({ number }) => String(number)),
    "number",
    (index) => place.at("x-enum-numbers", index),
  );
  return { name, description: readDescription(keywords, place), values };
}

/** The fallback of each value that has one. A fallback must not have a fallback itself. */
function readFallbacks(value: unknown, names: readonly string[], place: Place): ReadonlyMap<string, string> {
  if (value === undefined) return new Map();
  const given = readObject(value, [...names, newcomer], place);
  const entries = Object.keys(given).map((name) => [name, readString(given, name, place)] as const);
  for (const [name, fallback] of entries) {
    const here = place.at(name);
    if (fallback !== "" && !names.includes(fallback)) here.report(`"${fallback}" is not a value of the enum`);
    if (Object.hasOwn(given, fallback)) here.report(`"${fallback}" needs a fallback itself`);
  }
  return new Map(entries.filter(([name]) => name !== newcomer));
}
