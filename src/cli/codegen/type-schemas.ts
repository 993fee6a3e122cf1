import { nameOfToken } from "../../json/json-pointer.js";
import type { JsonSchema } from "../../json/json-schema.js";
import { isJsonObject } from "../../json/json-text.js";
import { pointed } from "../../json/schema/schema-document.js";
import { fileFailure } from "../failure.js";
import { type SchemaSource, typeName } from "./contracts.js";

/** A schema as input of json-schema-to-typescript. */
export type TypeSchema = Record<string, unknown>;

/** Name of the interface that has every type as a member. */
export const indexName = "ContractTypes";

/**
 * Combines schemas into one whose definitions become the types, so that each type is declared once. Only keywords that affect types are
 * copied. The target of a reference becomes a definition of its own; equal definitions of several schemas are shared.
 * @throws Failure for references to other documents
 */
export function typeSchema(sources: readonly SchemaSource[]): TypeSchema {
  const lifted = new Definitions();
  for (const source of sources) lifted.reserve(source);
  for (const source of sources) lifted.add(source);
  const names = sources.map(({ type }) => type);
  return {
    description: "Every type by its name.",
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    required: names,
    additionalProperties: false,
    $defs: lifted.definitions,
  };
}

class Definitions {
  readonly definitions: Record<string, TypeSchema> = {};
  /** The owner of each name: a source and a pointer into it. */
  readonly #owners = new Map<string, string>([[indexName, ""]]);

  reserve({ type, origin }: SchemaSource): void {
    if (type === indexName) throw fileFailure(`${origin}: the name ${type} is reserved`);
    this.#owners.set(type, `${type}#`);
  }

  add(source: SchemaSource): void {
    this.definitions[source.type] = this.#converted(source.schema, source);
  }

  /** The schema with only the keywords that affect types. */
  #converted(schema: unknown, source: SchemaSource): TypeSchema {
    if (schema === false) return { tsType: "never" };
    if (!isJsonObject(schema)) return { tsType: "unknown" };
    const type: TypeSchema = { ...plain(schema), ...this.#children(schema, source) };
    const { $ref } = schema;
    // With siblings beside the reference, json-schema-to-typescript would print a numbered copy of the type.
    if (typeof $ref === "string")
      Object.assign(type, { allOf: [...listIn(type.allOf), { $ref: this.#reference($ref, source) }] });
    if (Object.keys(type).every((keyword) => annotations.includes(keyword)))
      return { ...type, tsType: "unknown" };
    const isOpen = type.type === "object" && !shapes.some((keyword) => keyword in type);
    return isOpen ? { ...type, additionalProperties: true } : type;
  }

  #children(schema: JsonSchema, source: SchemaSource): TypeSchema {
    const convert = (value: unknown) => this.#converted(value, source);
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (maps.includes(keyword) && isJsonObject(value))
        return [
          [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, convert(one)]))],
        ];
      if (lists.includes(keyword) && Array.isArray(value)) return [[keyword, value.map(convert)]];
      if (keyword === "additionalProperties" && typeof value === "boolean") return [[keyword, value]];
      return singles.includes(keyword) ? [[keyword, convert(value)]] : [];
    });
    const { prefixItems, items, ...children } = Object.fromEntries(entries);
    if (prefixItems === undefined) return { ...children, ...(items !== undefined && { items }) };
    // Items of the prefix are optional beyond `minItems`. A `minItems` above its length only makes all of them required.
    const { length } = prefixItems as readonly unknown[];
    const minItems = Math.min(Number(schema.minItems ?? 0), length);
    const additionalItems = schema.items !== false && (items ?? true);
    return { ...children, items: prefixItems, additionalItems, ...(minItems > 0 && { minItems }) };
  }

  /** The name of a reference's target. */
  #reference(reference: string, source: SchemaSource): string {
    const { schema, origin, type } = source;
    if (!/^#(\/|$)/.test(reference))
      throw fileFailure(
        `${origin}: the reference ${reference} must point into the same schema, as #/$defs/… does`,
      );
    if (reference === "#") return `#/$defs/${type}`;
    const tokens = decodeURIComponent(reference.slice(2)).split("/");
    const target = tokens.reduce<unknown>((value, token) => {
      const name = nameOfToken(token);
      return Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined;
    }, schema);
    if (target === undefined) throw fileFailure(`${origin}: the reference ${reference} points to nothing`);
    const isShared = tokens.length === 2 && (tokens[0] === "$defs" || tokens[0] === "definitions");
    const owner = isShared ? closureOf(target, schema) : `${type}${reference}`;
    const short = isShared ? [typeName(tokens.at(-1) ?? "")] : [];
    const words = tokens.filter((token) => !containers.includes(token));
    const name = this.#nameFor(owner, [...short, typeName(`${type} ${words.join(" ")}`)]);
    if (!this.#owners.has(name)) {
      this.#owners.set(name, owner);
      this.definitions[name] = this.#converted(target, source);
    }
    return `#/$defs/${name}`;
  }

  /** The first name that is free or already belongs to the owner. */
  #nameFor(owner: string, names: readonly string[]): string {
    const free = names.find((name) => (this.#owners.get(name) ?? owner) === owner);
    return free ?? this.#nameFor(owner, [`${names.at(-1)}Also`]);
  }
}

/** A schema with the targets of its references as a string. Schemas with equal strings share a type. */
function closureOf(target: unknown, root: JsonSchema): string {
  const reached = new Map<string, unknown>();
  const collect = (schema: unknown) => {
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === "$ref" && typeof value === "string" && !reached.has(value)) {
        const found = value.startsWith("#") ? pointed(root, decodeURIComponent(value.slice(1))) : undefined;
        reached.set(value, found);
        collect(found);
      }
      return value;
    });
  };
  collect(target);
  return JSON.stringify([target, [...reached].sort()]);
}

/** Keywords whose members are named by the author of the schema. */
const containers = ["$defs", "definitions", "properties"];
const maps = ["properties", "patternProperties"];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
const singles = ["items", "additionalProperties"];
const copied = ["type", "enum", "const", "required", "deprecated"];
const annotations = ["description", "deprecated", "required"];
const shapes = [...maps, ...lists, "additionalProperties"];

function plain(schema: JsonSchema): TypeSchema {
  const { description } = schema;
  return {
    // A description must not be able to end the comment.
    ...(typeof description === "string" && { description: description.replaceAll("*/", "* /") }),
    ...Object.fromEntries(
      copied.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : [])),
    ),
  };
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
