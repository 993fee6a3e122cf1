import { nameOfToken, pointerToken } from "../json-pointer.js";
import { type JsonSchema, UnusableSchema } from "../json-schema.js";
import { isJsonObject } from "../json-text.js";
import { percentDecoded, schemaKeywords } from "./dialect.js";
import { LinearPattern } from "./linear-pattern.js";

/** Maximum number of schemas within one document. */
const MAX_SCHEMAS = 20_000;
/** Maximum nesting of schemas. */
const MAX_DEPTH = 200;

/** Base of references in a document without `$id`. It is never fetched, and neither is any other. */
const NOWHERE = "schema:///";

/** A schema: an object, true for one that accepts every value, or false for one that accepts none. */
export type Schema = JsonSchema | boolean;

/** The schemas that a schema holds, with the names in the JSON pointer to each. */
export function heldBy(schema: JsonSchema): [tokens: readonly string[], held: unknown][] {
  const at = (keywords: readonly string[]) => keywords.filter((keyword) => Object.hasOwn(schema, keyword));
  return [
    ...at(schemaKeywords.one).map((keyword): [string[], unknown] => [[keyword], schema[keyword]]),
    ...at([...schemaKeywords.list, ...schemaKeywords.map]).flatMap((keyword) =>
      Object.entries(Object(schema[keyword])).map(([name, held]): [string[], unknown] => [
        [keyword, name],
        held,
      ]),
    ),
  ];
}

/**
 * A JSON Schema of draft 2020-12 with everything that its references lead to. References stay within it: nothing is
 * fetched.
 */
export class SchemaDocument {
  readonly root: Schema;
  /** Schema resources by URI, and anchors by URI with fragment. */
  readonly #places = new Map<string, Schema>();
  readonly #dynamic = new Set<Schema>();
  /** Base URI of each schema. */
  readonly #bases = new Map<JsonSchema, string>();
  /** Where the references of each schema lead to. */
  readonly #targets = new Map<JsonSchema, Map<string, Schema>>();
  readonly #patterns = new Map<string, LinearPattern>();
  #hasUnevaluated = false;

  /** @throws UnusableSchema that says what cannot be used */
  constructor(root: Schema) {
    this.root = root;
    this.#places.set(NOWHERE, root);
    this.#add(root, { base: NOWHERE, path: "#", depth: 0 });
    for (const schema of [...this.#bases.keys()]) this.#follow(schema);
  }

  /** Whether a keyword depends on which members or items others have evaluated. */
  get hasUnevaluated(): boolean {
    return this.#hasUnevaluated;
  }

  /** The schema resource that a schema belongs to. */
  resourceOf(schema: JsonSchema): string {
    return this.#bases.get(schema) ?? NOWHERE;
  }

  /** Target of a `$ref`. */
  target(schema: JsonSchema, reference: string): Schema {
    return this.#targets.get(schema)?.get(reference) as Schema;
  }

  /** Target of a `$dynamicRef`: the outermost resource in scope that has the dynamic anchor. */
  dynamicTarget(schema: JsonSchema, reference: string, scope: readonly string[]): Schema {
    const target = this.target(schema, reference);
    if (!this.#dynamic.has(target)) return target;
    const fragment = reference.slice(reference.indexOf("#"));
    for (const resource of scope) {
      const found = this.#places.get(resource + fragment);
      if (found !== undefined && this.#dynamic.has(found)) return found;
    }
    return target;
  }

  /** The compiled form of a pattern that the document contains. */
  pattern(source: string): LinearPattern {
    return this.#patterns.get(source) as LinearPattern;
  }

  #add(schema: unknown, { base, path, depth }: Place): void {
    if (typeof schema === "boolean") return;
    if (!isJsonObject(schema)) throw new UnusableSchema(`${path} must be an object, true or false`);
    if (this.#bases.has(schema)) return;
    if (depth > MAX_DEPTH)
      throw new UnusableSchema(`${path} is nested too deeply: ${MAX_DEPTH} levels at most`);
    if (this.#bases.size >= MAX_SCHEMAS)
      throw new UnusableSchema(`must have at most ${MAX_SCHEMAS} schemas within it`);
    const { $id, $anchor, $dynamicAnchor } = schema;
    const own = typeof $id === "string" ? withoutFragment(resolved($id, base, `${path}/$id`)) : base;
    this.#bases.set(schema, own);
    if (own !== base) this.#places.set(own, schema);
    for (const anchor of [$anchor, $dynamicAnchor])
      if (typeof anchor === "string") this.#places.set(`${own}#${anchor}`, schema);
    if (typeof $dynamicAnchor === "string") this.#dynamic.add(schema);
    if ("unevaluatedItems" in schema || "unevaluatedProperties" in schema) this.#hasUnevaluated = true;
    this.#checkForms(schema, path);
    for (const [tokens, held] of heldBy(schema)) {
      const below = tokens.map(pointerToken).join("/");
      this.#add(held, { base: own, path: `${path}/${below}`, depth: depth + 1 });
    }
  }

  #checkForms(schema: JsonSchema, path: string): void {
    for (const [keyword, value] of Object.entries(schema)) {
      const form = Object.hasOwn(forms, keyword) ? forms[keyword] : undefined;
      if (form && !form.fits(value)) throw new UnusableSchema(`${path}/${keyword} must be ${form.wanted}`);
    }
    const patterns = Object.keys(Object(schema.patternProperties));
    if (typeof schema.pattern === "string") patterns.push(schema.pattern);
    for (const source of patterns) {
      try {
        this.#patterns.set(source, this.#patterns.get(source) ?? new LinearPattern(source));
      } catch (error) {
        throw new UnusableSchema(`${path}: the pattern ${JSON.stringify(source)} ${reasonOf(error)}`, {
          cause: error,
        });
      }
    }
  }

  /** Resolves the references of a schema, so that one without a target is reported when the document is made. */
  #follow(schema: JsonSchema): void {
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const reference = schema[keyword];
      if (typeof reference !== "string") continue;
      const target = this.#find(schema, reference);
      if (target === undefined) {
        throw new UnusableSchema(
          `The reference ${JSON.stringify(reference)} has no target in this schema; other documents are not fetched`,
        );
      }
      this.#targets.set(schema, (this.#targets.get(schema) ?? new Map()).set(reference, target));
      if (typeof target === "boolean" || this.#bases.has(target)) continue;
      // The target is in a place where schemas are not expected.
      const base = this.#bases.get(schema) ?? NOWHERE;
      const known = this.#bases.size;
      this.#add(target, { base, path: reference, depth: 0 });
      for (const further of [...this.#bases.keys()].slice(known)) this.#follow(further);
    }
  }

  #find(schema: JsonSchema, reference: string): Schema | undefined {
    const uri = resolved(reference, this.#bases.get(schema) ?? NOWHERE, "$ref");
    const found = this.#places.get(uri) ?? this.#places.get(percentDecoded(uri));
    if (found !== undefined) return found;
    const [resource = "", fragment = ""] = uri.split("#", 2);
    const whole = this.#places.get(resource);
    if (fragment === "" || whole === undefined) return whole;
    if (!fragment.startsWith("/")) return undefined;
    const target = pointed(whole, percentDecoded(fragment));
    return typeof target === "boolean" || isJsonObject(target) ? target : undefined;
  }
}

interface Place {
  readonly base: string;
  readonly path: string;
  readonly depth: number;
}

/** The value at a JSON pointer; undefined when there is none. */
export function pointed(value: unknown, pointer: string): unknown {
  const tokens = pointer.split("/").slice(1);
  return tokens.reduce<unknown>((held, token) => {
    const name = nameOfToken(token);
    return typeof held === "object" && held !== null && Object.hasOwn(held, name)
      ? (held as { [name: string]: unknown })[name]
      : undefined;
  }, value);
}

function resolved(reference: string, base: string, path: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    throw new UnusableSchema(`${path} is not a URI: ${JSON.stringify(reference)}`);
  }
}

function withoutFragment(uri: string): string {
  return uri.replace(/#.*$/s, "");
}

function reasonOf(error: unknown): string {
  return error instanceof SyntaxError ? "is not a regular expression" : (error as Error).message;
}

interface Form {
  readonly wanted: string;
  readonly fits: (value: unknown) => boolean;
}

const count: Form = {
  wanted: "a whole number of at least 0",
  fits: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const number: Form = { wanted: "a number", fits: (value) => typeof value === "number" };
const text: Form = { wanted: "a string", fits: (value) => typeof value === "string" };
const texts: Form = {
  wanted: "a list of strings",
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
};
const list: Form = { wanted: "a list", fits: Array.isArray };
const map: Form = { wanted: "an object", fits: isJsonObject };
const types = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** The form of each keyword's value. Schemas within are checked where they are found. */
const forms: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(
    [
      "maxContains",
      "maxItems",
      "maxLength",
      "maxProperties",
      "minContains",
      "minItems",
      "minLength",
      "minProperties",
    ].map((keyword) => [keyword, count]),
  ),
  ...{ exclusiveMaximum: number, exclusiveMinimum: number, maximum: number, minimum: number },
  multipleOf: { wanted: "a number above 0", fits: (value) => typeof value === "number" && value > 0 },
  ...{ $anchor: text, $dynamicAnchor: text, $dynamicRef: text, $id: text, $ref: text, pattern: text },
  uniqueItems: { wanted: "true or false", fits: (value) => typeof value === "boolean" },
  required: texts,
  enum: list,
  type: {
    wanted: `one of ${types.join(", ")}, or a list of them`,
    fits: (value) => [value].flat().every((one) => types.includes(String(one))) && [value].flat().length > 0,
  },
  dependentRequired: {
    wanted: "an object with lists of strings",
    fits: (value) => isJsonObject(value) && Object.values(value).every(texts.fits),
  },
  ...Object.fromEntries(schemaKeywords.list.map((keyword) => [keyword, list])),
  ...Object.fromEntries(schemaKeywords.map.map((keyword) => [keyword, map])),
};
