import type { ValidationError } from "../../protocol/model.js";
import { isJsonObject } from "../json-text.js";
import { fault, first, type Keyword, type KeywordCall, type ObjectValue } from "./keyword.js";

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";

function limit<Value>(
  keyword: string,
  of: (value: unknown) => boolean,
  fails: (value: Value, limit: number) => boolean,
  words: (limit: number) => string,
): Keyword {
  const check = (wanted: number, value: Value, { path }: KeywordCall) =>
    fails(value, wanted) ? fault(path, keyword, { limit: wanted }, words(wanted)) : undefined;
  return { keyword, of, check: check as Keyword["check"] };
}

/** Length in Unicode characters. */
function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}

function memberCount(value: ObjectValue): number {
  return Object.keys(value).length;
}

const isType: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === "number" && Number.isFinite(value),
  object: isJsonObject,
  string: isText,
};

/** Steps of the budget for comparing one value. */
const COMPARISON = 4;

/** A text that is the same for equal values, whatever the order of their members. */
function keyOf(value: unknown, { run }: Pick<KeywordCall, "run">): string {
  run.budget.spend(COMPARISON);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const key = JSON.stringify(value, (_name, held: unknown) => {
    run.budget.spend(COMPARISON);
    if (!isJsonObject(held)) return held;
    return Object.fromEntries(Object.entries(held).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
  return String(key);
}

/** The keywords that look at the value alone, in the order of evaluation. */
export const assertions: readonly Keyword[] = [
  {
    keyword: "type",
    check(wanted: string | readonly string[], value: unknown, { path }: KeywordCall) {
      if ([wanted].flat().some((type) => isType[type]?.(value))) return undefined;
      return fault(path, "type", { type: wanted }, `must be ${[wanted].flat().join(", ")}`);
    },
  },
  {
    keyword: "const",
    check(wanted: unknown, value: unknown, call: KeywordCall) {
      if (keyOf(value, call) === keyOf(wanted, call)) return undefined;
      return fault(call.path, "const", { allowedValue: wanted }, `must be ${JSON.stringify(wanted)}`);
    },
  },
  {
    keyword: "enum",
    check(wanted: readonly unknown[], value: unknown, call: KeywordCall) {
      const key = keyOf(value, call);
      if (wanted.some((one) => keyOf(one, call) === key)) return undefined;
      return fault(call.path, "enum", { allowedValues: wanted });
    },
  },
  limit<number>(
    "maximum",
    isNumber,
    (value, most) => value > most,
    (most) => `must be <= ${most}`,
  ),
  limit<number>(
    "minimum",
    isNumber,
    (value, least) => value < least,
    (least) => `must be >= ${least}`,
  ),
  limit<number>(
    "exclusiveMaximum",
    isNumber,
    (value, end) => value >= end,
    (end) => `must be < ${end}`,
  ),
  limit<number>(
    "exclusiveMinimum",
    isNumber,
    (value, end) => value <= end,
    (end) => `must be > ${end}`,
  ),
  limit<number>(
    "multipleOf",
    isNumber,
    (value, unit) => !Number.isInteger(value / unit),
    (unit) => `must be multiple of ${unit}`,
  ),
  limit<string>(
    "maxLength",
    isText,
    (value, most) => value.length > most && lengthOf(value) > most,
    (most) => `must not have more than ${most} characters`,
  ),
  limit<string>(
    "minLength",
    isText,
    (value, least) => lengthOf(value) < least,
    (least) => `must not have fewer than ${least} characters`,
  ),
  {
    keyword: "pattern",
    of: isText,
    check(wanted: string, value: string, { path, run }: KeywordCall) {
      if (run.document.pattern(wanted).test(value, run.budget)) return undefined;
      return fault(path, "pattern", { pattern: wanted }, `must match pattern "${wanted}"`);
    },
  },
  limit<readonly unknown[]>(
    "maxItems",
    Array.isArray,
    (value, most) => value.length > most,
    (most) => `must not have more than ${most} items`,
  ),
  limit<readonly unknown[]>(
    "minItems",
    Array.isArray,
    (value, least) => value.length < least,
    (least) => `must not have fewer than ${least} items`,
  ),
  {
    keyword: "uniqueItems",
    of: Array.isArray,
    check(wanted: boolean, value: readonly unknown[], call: KeywordCall) {
      if (!wanted || new Set(value.map((item) => keyOf(item, call))).size === value.length) return undefined;
      return fault(call.path, "uniqueItems", {}, "must not have equal items");
    },
  },
  limit<ObjectValue>(
    "maxProperties",
    isJsonObject,
    (value, most) => memberCount(value) > most,
    (most) => `must not have more than ${most} members`,
  ),
  limit<ObjectValue>(
    "minProperties",
    isJsonObject,
    (value, least) => memberCount(value) < least,
    (least) => `must not have fewer than ${least} members`,
  ),
  {
    keyword: "required",
    of: isJsonObject,
    check: (wanted: readonly string[], value: ObjectValue, { path }: KeywordCall) =>
      missing(wanted, value, path),
  },
  {
    keyword: "dependentRequired",
    of: isJsonObject,
    check(wanted: Readonly<Record<string, readonly string[]>>, value: ObjectValue, { path }: KeywordCall) {
      return first(Object.entries(wanted), ([name, needed]) =>
        Object.hasOwn(value, name) ? missing(needed, value, path) : undefined,
      );
    },
  },
];

function missing(needed: readonly string[], value: ObjectValue, path: string): ValidationError | undefined {
  const name = needed.find((one) => !Object.hasOwn(value, one) || value[one] === undefined);
  return name === undefined ? undefined : fault(path, "required", { missingProperty: name });
}
