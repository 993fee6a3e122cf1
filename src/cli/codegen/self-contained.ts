import { dirname } from "node:path/posix";
import { pointerToken } from "../../json/json-pointer.js";
import type { JsonSchema } from "../../json/json-schema.js";
import { isJsonObject } from "../../json/json-text.js";
import { rewrite } from "../../json/schema/dialect.js";
import { heldBy, pointed } from "../../json/schema/schema-document.js";
import { fileFailure } from "../failure.js";

/** Schemas by the paths of their files, relative to the folder. A file that could not be read has no schema. */
export type SchemaFiles = ReadonlyMap<string, JsonSchema | undefined>;

/** A schema within a file. */
interface Target {
  readonly path: string;
  /** JSON pointer; empty for the whole file. */
  readonly pointer: string;
}

const HERE = "file:///";

/**
 * Makes a schema independent of other files: the targets of its references in other files become definitions of the schema, and every
 * reference becomes a JSON pointer. Files are found by their paths and by their `$id`. A schema whose references all are pointers
 * is returned unchanged.
 *
 * @param path path of the schema's file, which must be in `files`
 * @param origin where the schema comes from, for error messages
 * @throws Failure for a reference without a target
 */
export function selfContained(path: string, origin: string, files: SchemaFiles): JsonSchema {
  const schema = files.get(path);
  if (schema === undefined) throw new TypeError(`There is no schema ${path}`);
  return isSelfContained(schema) ? schema : new Bundle(path, origin, files).read(schema);
}

/** Whether all references are pointers and no inner schema has its own base URI. */
function isSelfContained(schema: JsonSchema): boolean {
  let isOne = true;
  rewrite(schema, (one) => {
    const { $ref, $id } = one;
    if (typeof $ref === "string" && !/^#(\/|$)/.test($ref)) isOne = false;
    if ($id !== undefined && $id !== schema.$id) isOne = false;
    return one;
  });
  return isOne;
}

class Bundle {
  readonly #path: string;
  readonly #origin: string;
  readonly #files: SchemaFiles;
  /** The schema that each URI identifies: of a file, an `$id` or an anchor. */
  readonly #targets = new Map<string, Target>();
  /** Base URI of the references in each schema. */
  readonly #bases = new Map<JsonSchema, { readonly base: string; readonly path: string }>();
  /** Names of definitions, by path and pointer of their schemas. */
  readonly #names = new Map<string, string>();
  readonly #definitions: Record<string, JsonSchema> = {};

  constructor(path: string, origin: string, files: SchemaFiles) {
    this.#path = path;
    this.#origin = origin;
    this.#files = files;
    for (const [file, schema] of files)
      if (schema) this.#index(schema, { path: file, pointer: "" }, HERE + file);
  }

  read(schema: JsonSchema): JsonSchema {
    const { $defs = {} } = schema;
    for (const name of Object.keys(Object($defs))) this.#names.set(`${this.#path}#/$defs/${name}`, name);
    const own = this.#rewritten(schema);
    if (Object.keys(this.#definitions).length === 0) return own;
    return { ...own, $defs: { ...Object(own.$defs), ...this.#definitions } };
  }

  #index(schema: JsonSchema, { path, pointer }: Target, parent: string): void {
    const { $id, $anchor } = schema;
    const base = typeof $id === "string" ? (uriOf($id, parent) ?? parent) : parent;
    this.#bases.set(schema, { base, path });
    const uris = pointer === "" ? [base, HERE + path] : base === parent ? [] : [base];
    for (const uri of uris) this.#targets.set(uri.replace(/#$/, ""), { path, pointer });
    if (typeof $anchor === "string") {
      for (const uri of [base, HERE + path]) this.#targets.set(`${uri}#${$anchor}`, { path, pointer });
    }
    for (const [tokens, held] of heldBy(schema)) {
      const below = tokens.map(pointerToken).join("/");
      if (isJsonObject(held)) this.#index(held, { path, pointer: `${pointer}/${below}` }, base);
    }
  }

  /** The schema with pointers for references, and without bases and anchors. */
  #rewritten(schema: JsonSchema): JsonSchema {
    // Base URIs are recorded for the original schemas, so the copies cannot be used to look them up.
    const children = new Map<JsonSchema, JsonSchema>();
    const visit = (one: JsonSchema): JsonSchema => {
      const known = children.get(one);
      if (known) return known;
      const { $ref, $id, $anchor: _, ...rest } = one;
      const kept: Record<string, unknown> = { ...rest };
      for (const [tokens, held] of heldBy(one)) {
        if (isJsonObject(held)) place(kept, tokens, visit(held));
      }
      if (typeof $ref === "string") kept.$ref = this.#reference($ref, one);
      if ("$dynamicRef" in one)
        throw fileFailure(`${this.#origin}: $dynamicRef cannot be used with other files or $id`);
      if ($id !== undefined && one === this.#files.get(this.#path)) kept.$id = $id;
      children.set(one, kept);
      return kept;
    };
    return visit(schema);
  }

  #reference(reference: string, schema: JsonSchema): string {
    const { base, path } = this.#bases.get(schema) ?? { base: HERE, path: this.#path };
    const target = this.#find(reference, base) ?? this.#find(reference, HERE + path);
    if (target === undefined) {
      throw fileFailure(
        `${this.#origin} is not a valid JSON Schema: the reference ${reference} has no target in the folder`,
      );
    }
    const { pointer } = target;
    if (target.path === this.#path) return `#${pointer}`;
    const place = `${target.path}#${pointer}`;
    const known = this.#names.get(place);
    if (known !== undefined) return `#/$defs/${known}`;
    const name = this.#freeName(target);
    this.#names.set(place, name);
    const value = pointed(this.#files.get(target.path), pointer);
    this.#definitions[name] = isJsonObject(value)
      ? this.#rewritten(value)
      : value === false
        ? { not: {} }
        : {};
    return `#/$defs/${name}`;
  }

  #find(reference: string, base: string): Target | undefined {
    const uri = uriOf(reference, base);
    if (uri === undefined) return undefined;
    const whole = this.#targets.get(uri.replace(/#$/, "")) ?? this.#targets.get(decodeURI(uri));
    if (whole) return whole;
    const [resource = "", fragment = ""] = uri.split("#", 2);
    const file = this.#targets.get(resource) ?? this.#targets.get(decodeURI(resource));
    if (file === undefined || !fragment.startsWith("/")) return undefined;
    const pointer = file.pointer + decodeURIComponent(fragment);
    return pointed(this.#files.get(file.path), pointer) === undefined
      ? undefined
      : { path: file.path, pointer };
  }

  /** A name for the definition of a schema in another file: the last word of its path, with a number if that is taken. */
  #freeName({ path, pointer }: Target): string {
    const [file = ""] = (path.split("/").at(-1) ?? "").split(".");
    const role = ["input", "output", "metadata"].includes(file)
      ? `${dirname(path).split("/").at(-1)}-${file}`
      : file;
    const wanted = pointer === "" ? role : (pointer.split("/").at(-1) ?? role);
    const taken = new Set(this.#names.values());
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`;
    return name;
  }
}

/** Sets an inner schema: the value of a keyword, or an entry in its list or map. */
function place(
  holder: Record<string, unknown>,
  [keyword = "", name]: readonly string[],
  schema: JsonSchema,
): void {
  if (name === undefined) {
    holder[keyword] = schema;
    return;
  }
  const held = holder[keyword];
  if (Array.isArray(held))
    holder[keyword] = held.map((one, index) => (String(index) === name ? schema : one));
  else
    holder[keyword] = Object.fromEntries(
      Object.entries(Object(held)).map(([key, one]) => [key, key === name ? schema : one]),
    );
}

function uriOf(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}
