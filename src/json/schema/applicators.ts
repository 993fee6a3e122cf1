import type { ValidationError } from "../../protocol/model.js";
import { pointerToken } from "../json-pointer.js";
import { isJsonObject } from "../json-text.js";
import { fault, first, type Keyword, type KeywordCall, type ObjectValue } from "./keyword.js";
import type { Schema } from "./schema-document.js";

/** Another schema for the same value. */
function inPlace(schema: Schema, { value, path, evaluated, run }: KeywordCall): ValidationError | undefined {
  const own = run.evaluated();
  const error = run.evaluate(schema, value, path, own);
  if (!error && run.document.hasUnevaluated) evaluated.add(own);
  return error;
}

/** A schema for a member or an item. */
function below(
  schema: Schema,
  value: unknown,
  { path, run }: KeywordCall,
  name: string | number,
): ValidationError | undefined {
  const token = typeof name === "string" ? pointerToken(name) : name;
  return run.evaluate(schema, value, `${path}/${token}`, run.evaluated());
}

/** Whether a value is valid, for keywords that go on when it is not. */
function accepts(schema: Schema, { value, path, evaluated, run }: KeywordCall): boolean {
  const own = run.evaluated();
  const isValid = run.evaluate(schema, value, path, own) === undefined;
  if (isValid && run.document.hasUnevaluated) evaluated.add(own);
  return isValid;
}

/** The keywords that apply schemas to the value, its members and its items, in the order of evaluation. */
export const applicators: readonly Keyword[] = [
  {
    keyword: "$ref",
    check: (wanted: string, _value: unknown, call: KeywordCall) =>
      inPlace(call.run.document.target(call.schema, wanted), call),
  },
  {
    keyword: "$dynamicRef",
    check: (wanted: string, _value: unknown, call: KeywordCall) =>
      inPlace(call.run.document.dynamicTarget(call.schema, wanted, call.run.scope), call),
  },
  {
    keyword: "allOf",
    check: (wanted: readonly Schema[], _value: unknown, call: KeywordCall) =>
      first(wanted, (one) => inPlace(one, call)),
  },
  {
    keyword: "anyOf",
    check(wanted: readonly Schema[], _value: unknown, call: KeywordCall) {
      // With unevaluated… keywords every branch is tried: each may evaluate further members.
      const valid = call.run.document.hasUnevaluated
        ? wanted.filter((one) => accepts(one, call)).length > 0
        : wanted.some((one) => accepts(one, call));
      return valid ? undefined : fault(call.path, "anyOf", {}, "must match a schema in anyOf");
    },
  },
  {
    keyword: "oneOf",
    check(wanted: readonly Schema[], _value: unknown, call: KeywordCall) {
      const valid = wanted.filter((one) => accepts(one, call)).length;
      return valid === 1
        ? undefined
        : fault(call.path, "oneOf", {}, "must match exactly one schema in oneOf");
    },
  },
  {
    keyword: "not",
    check(wanted: Schema, _value: unknown, call: KeywordCall) {
      const isValid = accepts(wanted, { ...call, evaluated: call.run.evaluated() });
      return isValid ? fault(call.path, "not", {}, "must NOT be valid") : undefined;
    },
  },
  {
    keyword: "if",
    check(wanted: Schema, _value: unknown, call: KeywordCall) {
      const branch = call.schema[accepts(wanted, call) ? "then" : "else"];
      return branch === undefined ? undefined : inPlace(branch as Schema, call);
    },
  },
  {
    keyword: "dependentSchemas",
    of: isJsonObject,
    check(wanted: Readonly<Record<string, Schema>>, value: ObjectValue, call: KeywordCall) {
      return first(Object.entries(wanted), ([name, one]) =>
        Object.hasOwn(value, name) ? inPlace(one, call) : undefined,
      );
    },
  },
  {
    keyword: "propertyNames",
    of: isJsonObject,
    check: (wanted: Schema, value: ObjectValue, call: KeywordCall) =>
      first(Object.keys(value), (name) => {
        const error = call.run.evaluate(wanted, name, call.path, call.run.evaluated());
        return (
          error && fault(call.path, "propertyNames", { propertyName: name }, "property name must be valid")
        );
      }),
  },
  {
    keyword: "properties",
    of: isJsonObject,
    check: (wanted: Readonly<Record<string, Schema>>, value: ObjectValue, call: KeywordCall) =>
      first(Object.keys(wanted), (name) => {
        if (!Object.hasOwn(value, name) || value[name] === undefined) return undefined;
        call.evaluated.note(name);
        return below(wanted[name] as Schema, value[name], call, name);
      }),
  },
  {
    keyword: "patternProperties",
    of: isJsonObject,
    check: (wanted: Readonly<Record<string, Schema>>, value: ObjectValue, call: KeywordCall) =>
      first(Object.entries(wanted), ([pattern, one]) =>
        first(Object.keys(value), (name) => {
          if (!call.run.document.pattern(pattern).test(name, call.run.budget)) return undefined;
          call.evaluated.note(name);
          return below(one, value[name], call, name);
        }),
      ),
  },
  {
    keyword: "additionalProperties",
    of: isJsonObject,
    check(wanted: Schema, value: ObjectValue, call: KeywordCall) {
      const { properties, patternProperties } = call.schema;
      const patterns = Object.keys(Object(patternProperties)).map((one) => call.run.document.pattern(one));
      return rest(wanted, value, call, (name) => {
        if (isJsonObject(properties) && Object.hasOwn(properties, name)) return true;
        return patterns.some((pattern) => pattern.test(name, call.run.budget));
      });
    },
  },
  {
    keyword: "prefixItems",
    of: Array.isArray,
    check: (wanted: readonly Schema[], value: readonly unknown[], call: KeywordCall) =>
      first(wanted.slice(0, value.length), (one, index) => {
        call.evaluated.note(index);
        return below(one, value[index], call, index);
      }),
  },
  {
    keyword: "items",
    of: Array.isArray,
    check(wanted: Schema, value: readonly unknown[], call: KeywordCall) {
      const { prefixItems } = call.schema;
      const start = Array.isArray(prefixItems) ? prefixItems.length : 0;
      return first(value, (item, index) => {
        if (index < start) return undefined;
        call.evaluated.note(index);
        return below(wanted, item, call, index);
      });
    },
  },
  {
    keyword: "contains",
    of: Array.isArray,
    check(wanted: Schema, value: readonly unknown[], call: KeywordCall) {
      const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = call.schema;
      let found = 0;
      for (const [index, item] of value.entries()) {
        if (below(wanted, item, call, index)) continue;
        found += 1;
        call.evaluated.note(index);
      }
      if (found >= Number(minContains) && found <= Number(maxContains)) return undefined;
      const most = maxContains === Number.POSITIVE_INFINITY ? "" : ` and at most ${maxContains}`;
      return fault(call.path, "contains", {}, `must contain at least ${minContains}${most} valid item(s)`);
    },
  },
  {
    keyword: "unevaluatedProperties",
    of: isJsonObject,
    check: (wanted: Schema, value: ObjectValue, call: KeywordCall) =>
      rest(wanted, value, call, (name) => call.evaluated.has(name)),
  },
  {
    keyword: "unevaluatedItems",
    of: Array.isArray,
    check: (wanted: Schema, value: readonly unknown[], call: KeywordCall) =>
      first(value, (item, index) => {
        if (call.evaluated.has(index)) return undefined;
        call.evaluated.note(index);
        return below(wanted, item, call, index);
      }),
  },
];

/** Checks the members that other keywords left over. */
function rest(
  wanted: Schema,
  value: ObjectValue,
  call: KeywordCall,
  isKnown: (name: string) => boolean,
): ValidationError | undefined {
  return first(Object.keys(value), (name) => {
    if (value[name] === undefined || isKnown(name)) return undefined;
    if (wanted === false) return fault(call.path, "additionalProperties", { additionalProperty: name });
    call.evaluated.note(name);
    return below(wanted, value[name], call, name);
  });
}
