import { nameOfToken } from "../json-pointer.js";
import { type JsonSchema, UnusableSchema } from "../json-schema.js";
import { isJsonObject } from "../json-text.js";

/** `$schema` of the dialects that are read, without an empty fragment. A schema that names none is of draft 2020-12. */
const dialects: Readonly<Record<string, "2020-12" | "2019-09" | "draft-07">> = {
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "https://json-schema.org/draft/2019-09/schema": "2019-09",
  "http://json-schema.org/draft-07/schema": "draft-07",
  "http://json-schema.org/draft-06/schema": "draft-07",
};

/** `$schema` of draft 2020-12. */
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

/** Keywords that count next to a `$ref` in draft-07; all others are ignored there. */
const besideReference = ["$ref", "$comment", "$defs", "$schema", "definitions", "description", "title"];

/** Keywords that stay outside when a schema becomes an alternative to null. */
const outside = ["$anchor", "$comment", "$defs", "$id", "$schema", "definitions", "description", "title"];

/**
 * Rewrites a schema in draft 2020-12: the keywords of draft-06, draft-07 and 2019-09 that changed, and `nullable` of
 * OpenAPI 3.0. A schema that needs no change is returned as it is.
 *
 * @throws UnusableSchema for any other dialect, and for `$recursiveRef` of 2019-09
 */
export function toDraft2020(schema: JsonSchema): JsonSchema {
  const { $schema = DRAFT_2020 } = schema;
  const dialect = dialects[String($schema).replace(/#$/, "")];
  if (dialect === undefined) {
    throw new UnusableSchema(
      `uses ${$schema}; draft 2020-12, 2019-09 and draft-07 are supported: ${DRAFT_2020}`,
    );
  }
  if (dialect !== "2020-12") {
    const converted = rewrite(schema, (one) => modern(one, schema, dialect === "draft-07"));
    return { ...rewrite(converted, nullable), $schema: DRAFT_2020 };
  }
  return rewrite(schema, nullable);
}

/** Keywords of draft 2020-12 whose values are schemas: one, a list of them, or a map by name. */
export const schemaKeywords = {
  one: [
    ...["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
    ...["unevaluatedItems", "unevaluatedProperties"],
  ],
  list: ["allOf", "anyOf", "oneOf", "prefixItems"],
  map: ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"],
} as const;

// The same with the keywords that draft 2020-12 no longer has.
const single: readonly string[] = [...schemaKeywords.one, "additionalItems"];
const lists: readonly string[] = [...schemaKeywords.list, "items"];
const maps: readonly string[] = [...schemaKeywords.map, "dependencies"];

/** Rewrites every schema within a schema, the inner ones first. Unchanged schemas keep their identity. */
export function rewrite(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (value: unknown) => (isJsonObject(value) ? rewrite(value, change) : value);
  let changed: Record<string, unknown> | undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    let next = value;
    if (single.includes(keyword)) next = inner(value);
    if (lists.includes(keyword) && Array.isArray(value)) next = kept(value, value.map(inner));
    if (maps.includes(keyword) && isJsonObject(value)) {
      const entries = Object.entries(value).map(([name, one]) => [name, inner(one)] as const);
      next = entries.every(([name, one]) => one === value[name]) ? value : Object.fromEntries(entries);
    }
    if (next === value) continue;
    changed ??= { ...schema };
    changed[keyword] = next;
  }
  return change(changed ?? schema);
}

function kept(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((one, index) => one === before[index]) ? before : after;
}

/** A schema of draft-07 or 2019-09, in the keywords of 2020-12. */
function modern(schema: JsonSchema, root: JsonSchema, isDraft07: boolean): JsonSchema {
  if ("$recursiveRef" in schema)
    throw new UnusableSchema("uses $recursiveRef: write $dynamicRef of draft 2020-12");
  if (isDraft07 && typeof schema.$ref === "string") {
    const beside = Object.entries(schema).filter(([keyword]) => besideReference.includes(keyword));
    return { ...Object.fromEntries(beside), $ref: movedReference(schema.$ref, root) };
  }
  const { $id, items, additionalItems, dependencies, ...rest } = schema;
  const { $ref } = schema;
  const [id, anchor] = typeof $id === "string" ? $id.split("#") : [];
  return {
    ...rest,
    ...(typeof $ref === "string" && { $ref: movedReference($ref, root) }),
    ...($id !== undefined && id !== "" && { $id: id ?? $id }),
    ...(anchor && { $anchor: anchor }),
    ...(Array.isArray(items)
      ? { prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) }
      : items !== undefined && { items }),
    ...(isJsonObject(dependencies) && dependenciesOf(dependencies)),
  };
}

function dependenciesOf(dependencies: Readonly<Record<string, unknown>>): JsonSchema {
  const entries = Object.entries(dependencies);
  const lists = entries.filter(([, one]) => Array.isArray(one));
  const schemas = entries.filter(([, one]) => !Array.isArray(one));
  return {
    ...(lists.length > 0 && { dependentRequired: Object.fromEntries(lists) }),
    ...(schemas.length > 0 && { dependentSchemas: Object.fromEntries(schemas) }),
  };
}

/** A reference within the document whose target has moved to another keyword. */
function movedReference(reference: string, root: JsonSchema): string {
  if (!reference.startsWith("#/")) return reference;
  let held: unknown = root;
  const tokens = reference
    .slice(2)
    .split("/")
    .map((token) => {
      const before = Object(held);
      held = before[nameOfToken(percentDecoded(token))];
      if (Array.isArray(before.items) && token === "items") return "prefixItems";
      if (Array.isArray(before.items) && token === "additionalItems") return "items";
      return token === "dependencies" ? "dependentSchemas" : token;
    });
  return `#/${tokens.join("/")}`;
}

/** A URI, or a part of one, without its percent-encoding; unchanged if that is invalid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Replaces `nullable` by the type `null`. */
function nullable(schema: JsonSchema): JsonSchema {
  if (typeof schema.nullable !== "boolean") return schema;
  const { nullable, ...rest } = schema;
  if (!nullable) return rest;
  const { type } = rest;
  const choices = Array.isArray(rest.enum) && !rest.enum.includes(null) ? { enum: [...rest.enum, null] } : {};
  if (type !== undefined) return { ...rest, ...choices, type: [...new Set([type, "null"].flat())] };
  if (Array.isArray(rest.enum)) return { ...rest, ...choices };
  const entries = Object.entries(rest);
  const isOutside = ([keyword]: readonly [string, unknown]) => outside.includes(keyword);
  const inside = entries.filter((entry) => !isOutside(entry));
  return {
    ...Object.fromEntries(entries.filter(isOutside)),
    anyOf: [Object.fromEntries(inside), { type: "null" }],
  };
}
