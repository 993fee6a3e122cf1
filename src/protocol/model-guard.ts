import type { ValidationError, Validator } from "./model.js";
import { enums, type Field, fieldsOf, type MessageName, stringFormats } from "./operations.js";

// Guards of the model that interpret the table of members, for clients: browsers load this code, and the generated validators are
// much larger. Results and errors are those of the generated validators, which servers use because they are faster.

/** The first fault of a value, its path relative to the value; undefined if the value is valid. */
type Check = (value: unknown) => Fault | undefined;

type Fault = { -readonly [Name in keyof ValidationError]: ValidationError[Name] };

const guards = new Map<MessageName, Validator<unknown>>();

/**
 * The guard of a message of the model, made when it is first requested. A value that passes is canonical: no unknown member, no other
 * spelling. After a refusal the guard has the first fault in `errors`.
 */
export function modelGuard<T>(type: MessageName): Validator<T> {
  const guard = guards.get(type) ?? guardOf(type);
  guards.set(type, guard);
  return guard as Validator<T>;
}

function guardOf(type: MessageName): Validator<unknown> {
  const check = checkOf(type);
  const guard: Validator<unknown> = (value): value is unknown => {
    const found = check(value);
    guard.errors = found === undefined ? null : [found];
    return found === undefined;
  };
  return guard;
}

function fault(keyword: string, params: ValidationError["params"]): Fault {
  return { instancePath: "", schemaPath: `#/${keyword}`, keyword, params };
}

function typeFault(type: string): Fault {
  return fault("type", { type });
}

/** The fault of a member or an element as one of the value that holds it. */
function inside(name: string | number, found: Fault): Fault {
  const token = String(name).replaceAll("~", "~0").replaceAll("/", "~1");
  found.instancePath = `/${token}${found.instancePath}`;
  return found;
}

const checks = new Map<MessageName, Check>();

/** Checks of messages are made on first use: messages contain one another. */
function checkOf(type: MessageName): Check {
  let check = checks.get(type);
  if (check === undefined) {
    check = messageCheck(fieldsOf(type));
    checks.set(type, check);
  }
  return check;
}

interface Member {
  /** The place in the schema, in whose order members are checked. */
  readonly place: number;
  readonly isRequired: boolean;
  readonly isGrouped: boolean;
  readonly check: Check;
}

/**
 * Checks in the order of the generated guards: type, required members, groups, unknown members, members. A single pass over the members
 * that are present gathers what all of these need, because looking up an absent member costs more than reading a present one.
 */
function messageCheck(fields: readonly Field[]): Check {
  const required = fields.flatMap((field) => (field.required ? [field.name] : []));
  const groups = groupsOf(fields);
  const members = new Map(fields.map((field, place) => [field.name, memberOf(field, place)]));
  return (value) => {
    if (!isObject(value)) return typeFault("object");
    let requiredCount = 0;
    let groupedCount = 0;
    let unknown: string | undefined;
    let first: Fault | undefined;
    let firstPlace = Number.POSITIVE_INFINITY;
    for (const name in value) {
      const given = value[name];
      if (given === undefined) continue;
      const member = members.get(name);
      if (member === undefined) {
        unknown ??= name;
        continue;
      }
      if (member.isRequired) requiredCount++;
      if (member.isGrouped) groupedCount++;
      if (member.place > firstPlace) continue;
      const found = member.check(given);
      if (found === undefined) continue;
      first = inside(name, found);
      firstPlace = member.place;
    }
    if (requiredCount < required.length)
      return fault("required", { missingProperty: required.find((name) => value[name] === undefined) });
    // The only group of a message is valid if exactly one of its members is present.
    if (groupedCount !== 1 || groups.length !== 1) {
      for (const group of groups) {
        const found = group(value);
        if (found !== undefined) return found;
      }
    }
    return unknown === undefined ? first : fault("closed", { additionalProperty: unknown });
  };
}

function memberOf(field: Field, place: number): Member {
  const { required = false, oneof } = field;
  return { place, isRequired: required, isGrouped: oneof !== undefined, check: fieldCheck(field) };
}

type GroupCheck = (value: Readonly<Record<string, unknown>>) => Fault | undefined;

function groupsOf(fields: readonly Field[]): GroupCheck[] {
  const names = new Set(fields.flatMap(({ oneof }) => (oneof === undefined ? [] : [oneof])));
  return [...names].map((group) => {
    const ofGroup = fields.filter(({ oneof }) => oneof === group);
    const members = ofGroup.map(({ name }) => name);
    const least = ofGroup.some(({ optional }) => optional) ? 0 : 1;
    return (value) => {
      const present = members.filter((name) => value[name] !== undefined);
      if (present.length === 1 || present.length === least) return undefined;
      return fault(least === 0 ? "atMostOne" : "exactlyOne", { members, present });
    };
  });
}

function fieldCheck(field: Field): Check {
  const check = valueCheck(field);
  const { repeated, map, minItems = 0 } = field;
  if (map)
    return (value) => {
      if (!isObject(value)) return typeFault("object");
      for (const name in value) {
        const found = value[name] === undefined ? undefined : check(value[name]);
        if (found !== undefined) return inside(name, found);
      }
      return undefined;
    };
  if (!repeated) return check;
  return (value) => {
    if (!Array.isArray(value)) return typeFault("array");
    if (value.length < minItems) return fault("minItems", { limit: minItems });
    for (let index = 0; index < value.length; index++) {
      const found = check(value[index]);
      if (found !== undefined) return inside(index, found);
    }
    return undefined;
  };
}

function valueCheck(field: Field): Check {
  if (field.kind === "message") {
    const { type } = field;
    let check: Check | undefined;
    return (value) => {
      check ??= checkOf(type);
      return check(value);
    };
  }
  if (field.kind === "enum") {
    const allowedValues = Object.keys(enums[field.type]);
    const allowed = new Set<unknown>(allowedValues);
    return (value) => {
      if (allowed.has(value)) return undefined;
      return typeof value === "string" ? fault("enum", { allowedValues }) : typeFault("string");
    };
  }
  const other = others[field.kind];
  return other === undefined ? textCheck(field) : other(field);
}

/** Checks of kinds other than strings. */
const others: Readonly<Partial<Record<Field["kind"], (field: Field) => Check>>> = {
  bool: () => (value) => (typeof value === "boolean" ? undefined : typeFault("boolean")),
  int32: wholeCheck,
  uint32: wholeCheck,
  double: () => (value) => (Number.isFinite(value) || NAMED.has(value) ? undefined : typeFault("number")),
  struct: () => (value) => (isObject(value) ? undefined : typeFault("object")),
  any: () => () => undefined,
};

/** Numbers that JSON does not have. */
const NAMED = new Set<unknown>(["NaN", "Infinity", "-Infinity"]);

function wholeCheck({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Field): Check {
  return (value) => {
    if (!Number.isInteger(value)) return typeFault("integer");
    if ((value as number) > max) return fault("maximum", { comparison: "<=", limit: max });
    return (value as number) < min ? fault("minimum", { comparison: ">=", limit: min }) : undefined;
  };
}

function textCheck({ kind, min = 0 }: Field): Check {
  const format = stringFormats[kind];
  return (value) => {
    if (typeof value !== "string") return typeFault("string");
    if (value.length < min) return fault("minLength", { limit: min });
    if (format === undefined) return undefined;
    const { name, pattern, lengthUnit } = format;
    const isCanonical = value.length % lengthUnit === 0 && pattern.test(value);
    return isCanonical ? undefined : fault("format", { format: name });
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
