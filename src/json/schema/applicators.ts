import type { ValidationError } from "../../protocol/model.js";
import { isJsonObject } from "../json-text.js";
import { fault, first, type Keyword, type ObjectValue, type Spot } from "./keyword.js";
import type { Schema } from "./schema-document.js";

/** Another schema for the same value. */
function inPlace(schema: Schema, { value, path, evaluated, run }: Spot): ValidationError | undefined {
  const own = run.evaluated();
  const error = run.evaluate(schema, value, path, own);
  if (!error && run.document.hasUnevaluated) evaluated.add(own);
  return error;
}

/** A schema for a member or an item. */
function below(
  schema: Schema,
  value: unknown,
  { path, run }: Spot,
  name: string | number,
): ValidationError | undefined {
  const token = typeof name === "string" ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name;
  return run.evaluate(schema, value, `${path}/${token}`, run.evaluated());
}

/** Whether a value is valid, for keywords that go on when it is not. */
function accepts(schema: Schema, { value, path, evaluated, run }: Spot): boolean {
  const own = run.evaluated();
  const isValid = run.evaluate(schema, value, path, own) === undefined;
  if (isValid && run.document.hasUnevaluated) evaluated.add(own);
  return isValid;
}

/** The keywords that apply schemas to the value, its members and its items, in the order of evaluation. */
export const applicators: readonly Keyword[] = [
  {
    keyword: "$ref",
    check: (wanted: string, _value: unknown, spot: Spot) =>
      inPlace(spot.run.document.target(spot.schema, wanted), spot),
  },
  {
    keyword: "$dynamicRef",
    check: (wanted: string, _value: unknown, spot: Spot) =>
      inPlace(spot.run.document.dynamicTarget(spot.schema, wanted, spot.run.scope), spot),
  },
  {
    keyword: "allOf",
    check: (wanted: readonly Schema[], _value: unknown, spot: Spot) =>
      first(wanted, (one) => inPlace(one, spot)),
  },
  {
    keyword: "anyOf",
    check(wanted: readonly Schema[], _value: unknown, spot: Spot) {
      // Every branch is tried where it matters what they have looked at.
      const valid = spot.run.document.hasUnevaluated
        ? wanted.filter((one) => accepts(one, spot)).length > 0
        : wanted.some((one) => accepts(one, spot));
      return valid ? undefined : fault(spot.path, "anyOf", {}, "must match a schema in anyOf");
    },
  },
  {
    keyword: "oneOf",
    check(wanted: readonly Schema[], _value: unknown, spot: Spot) {
      const valid = wanted.filter((one) => accepts(one, spot)).length;
      return valid === 1
        ? undefined
        : fault(spot.path, "oneOf", {}, "must match exactly one schema in oneOf");
    },
  },
  {
    keyword: "not",
    check(wanted: Schema, _value: unknown, spot: Spot) {
      const isValid = accepts(wanted, { ...spot, evaluated: spot.run.evaluated() });
      return isValid ? fault(spot.path, "not", {}, "must NOT be valid") : undefined;
    },
  },
  {
    keyword: "if",
    check(wanted: Schema, _value: unknown, spot: Spot) {
      const branch = spot.schema[accepts(wanted, spot) ? "then" : "else"];
      return branch === undefined ? undefined : inPlace(branch as Schema, spot);
    },
  },
  {
    keyword: "dependentSchemas",
    of: isJsonObject,
    check(wanted: Readonly<Record<string, Schema>>, value: ObjectValue, spot: Spot) {
      return first(Object.entries(wanted), ([name, one]) =>
        Object.hasOwn(value, name) ? inPlace(one, spot) : undefined,
      );
    },
  },
  {
    keyword: "propertyNames",
    of: isJsonObject,
    check: (wanted: Schema, value: ObjectValue, spot: Spot) =>
      first(Object.keys(value), (name) => {
        const error = spot.run.evaluate(wanted, name, spot.path, spot.run.evaluated());
        return (
          error && fault(spot.path, "propertyNames", { propertyName: name }, "property name must be valid")
        );
      }),
  },
  {
    keyword: "properties",
    of: isJsonObject,
    check: (wanted: Readonly<Record<string, Schema>>, value: ObjectValue, spot: Spot) =>
      first(Object.keys(wanted), (name) => {
        if (!Object.hasOwn(value, name) || value[name] === undefined) return undefined;
        spot.evaluated.note(name);
        return below(wanted[name] as Schema, value[name], spot, name);
      }),
  },
  {
    keyword: "patternProperties",
    of: isJsonObject,
    check: (wanted: Readonly<Record<string, Schema>>, value: ObjectValue, spot: Spot) =>
      first(Object.entries(wanted), ([pattern, one]) =>
        first(Object.keys(value), (name) => {
          if (!spot.run.document.pattern(pattern).test(name, spot.run.budget)) return undefined;
          spot.evaluated.note(name);
          return below(one, value[name], spot, name);
        }),
      ),
  },
  {
    keyword: "additionalProperties",
    of: isJsonObject,
    check(wanted: Schema, value: ObjectValue, spot: Spot) {
      const { properties, patternProperties } = spot.schema;
      const patterns = Object.keys(Object(patternProperties)).map((one) => spot.run.document.pattern(one));
      return rest(wanted, value, spot, (name) => {
        if (isJsonObject(properties) && Object.hasOwn(properties, name)) return true;
        return patterns.some((pattern) => pattern.test(name, spot.run.budget));
      });
    },
  },
  {
    keyword: "prefixItems",
    of: Array.isArray,
    check: (wanted: readonly Schema[], value: readonly unknown[], spot: Spot) =>
      first(wanted.slice(0, value.length), (one, index) => {
        spot.evaluated.note(index);
        return below(one, value[index], spot, index);
      }),
  },
  {
    keyword: "items",
    of: Array.isArray,
    check(wanted: Schema, value: readonly unknown[], spot: Spot) {
      const { prefixItems } = spot.schema;
      const start = Array.isArray(prefixItems) ? prefixItems.length : 0;
      return first(value, (item, index) => {
        if (index < start) return undefined;
        spot.evaluated.note(index);
        return below(wanted, item, spot, index);
      });
    },
  },
  {
    keyword: "contains",
    of: Array.isArray,
    check(wanted: Schema, value: readonly unknown[], spot: Spot) {
      const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = spot.schema;
      let found = 0;
      for (const [index, item] of value.entries()) {
        if (below(wanted, item, spot, index)) continue;
        found += 1;
        spot.evaluated.note(index);
      }
      if (found >= Number(minContains) && found <= Number(maxContains)) return undefined;
      const most = maxContains === Number.POSITIVE_INFINITY ? "" : ` and at most ${maxContains}`;
      return fault(spot.path, "contains", {}, `must contain at least ${minContains}${most} valid item(s)`);
    },
  },
  {
    keyword: "unevaluatedProperties",
    of: isJsonObject,
    check: (wanted: Schema, value: ObjectValue, spot: Spot) =>
      rest(wanted, value, spot, (name) => spot.evaluated.has(name)),
  },
  {
    keyword: "unevaluatedItems",
    of: Array.isArray,
    check: (wanted: Schema, value: readonly unknown[], spot: Spot) =>
      first(value, (item, index) => {
        if (spot.evaluated.has(index)) return undefined;
        spot.evaluated.note(index);
        return below(wanted, item, spot, index);
      }),
  },
];

/** Checks the members that other keywords left over. */
function rest(
  wanted: Schema,
  value: ObjectValue,
  spot: Spot,
  isKnown: (name: string) => boolean,
): ValidationError | undefined {
  return first(Object.keys(value), (name) => {
    if (value[name] === undefined || isKnown(name)) return undefined;
    if (wanted === false) return fault(spot.path, "additionalProperties", { additionalProperty: name });
    spot.evaluated.note(name);
    return below(wanted, value[name], spot, name);
  });
}
