import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../normalize/members.js";
import { type Definition, definitionsPointer, type Property, type Shape, targetOf } from "./contract.js";
import { isRemote, limitsOf, listOf, namesOf, objectsOf, textOf } from "./json-members.js";
import { proseOf } from "./prose.js";
import { uniteDefinitions } from "./unite.js";

const pointer = /^#\/(?:definitions|\$defs)\/(.+)$/;

/** Reads definitions of a JSON Schema into the normal form, each when it is first needed. */
export class DefinitionReader {
  /** What was read so far, by name. */
  readonly definitions = new Map<string, Definition>();
  readonly #given: ReadonlyMap<string, JsonObject>;
  readonly #known: Readonly<Record<string, Definition>>;
  readonly #problems: string[];

  /**
   * @param given definitions of the document
   * @param known definitions whose names are preferred for what has none: enums and lists within a property
   * @param problems takes what the normal form cannot hold
   */
  constructor(
    given: ReadonlyMap<string, JsonObject>,
    known: Readonly<Record<string, Definition>>,
    problems: string[],
  ) {
    this.#given = given;
    this.#known = known;
    this.#problems = problems;
  }

  /** Shape of a value; what needs a name of its own is called `hint`. */
  shape(value: JsonObject, hint: string): Shape {
    const reference = textOf(value, "$ref");
    const target = pointer.exec(reference ?? "")?.[1];
    if (target !== undefined) return this.#reference(target, hint);
    if (reference !== undefined) {
      const why = isRemote(reference)
        ? "leads to another place; references are not fetched"
        : "is not understood";
      this.#problems.push(`${hint}: the reference ${reference} ${why}`);
      return { "x-type": "any" };
    }
    const branches = branchesOf(value);
    if (branches.length > 0) return this.#named(this.#union(branches, hint), hint);
    const constant = textOf(value, "const");
    if (constant !== undefined) return { type: "string", const: constant };
    const values = namesOf(value.enum);
    if (values.length > 0) return this.#named({ type: "string", enum: values }, hint);
    return this.#plain(value, hint);
  }

  #plain(value: JsonObject, hint: string): Shape {
    const { type, format, items, additionalProperties } = value;
    if (type === "array" && isObject(items)) {
      return { type, items: this.#inner(items, `${hint}Item`), ...limitsOf(value, { type }) };
    }
    if (type === "object" && isObject(additionalProperties) && Object.keys(additionalProperties).length > 0) {
      return { type, additionalProperties: this.#inner(additionalProperties, `${hint}Value`) };
    }
    if (type === "object" || type === "boolean") return { type };
    if (type === "integer") return { type, format: "int32" };
    if (type === "number") return { type, format: "double" };
    if (type === "string")
      return format === "date-time" ? { type, format } : { type, ...limitsOf(value, { type }) };
    if (type === undefined || Array.isArray(type)) return { "x-type": "any" };
    this.#problems.push(`${hint}: a value of type ${JSON.stringify(type)} has no place in the normal form`);
    return { "x-type": "any" };
  }

  /** A list or map within a list or map needs a name. */
  #inner(value: JsonObject, hint: string): Shape {
    const shape = this.shape(value, hint);
    return shape.items || shape.additionalProperties ? this.#named(shape, hint) : shape;
  }

  #reference(name: string, at: string): Shape {
    const definition = this.#given.get(name);
    if (definition !== undefined && this.#isEndless(name)) {
      this.#problems.push(`${at}: ${name} is a reference that leads back to itself`);
    } else if (definition === undefined) {
      this.#problems.push(`${at}: the reference to ${name} leads to no definition`);
    } else if (!this.definitions.has(name)) {
      // Its place is taken before what it refers to is read: it may refer to itself.
      this.definitions.set(name, {});
      this.definitions.set(name, this.#definition(name, definition));
    }
    return { $ref: `${definitionsPointer}${name}` };
  }

  /** References and alternatives of nothing else that lead in a circle: no value is meant by them. */
  #isEndless(name: string, above: readonly string[] = []): boolean {
    const definition = this.#given.get(name);
    if (definition === undefined || definition.properties !== undefined) return false;
    return [definition, ...branchesOf(definition)].some((value) => {
      const target = pointer.exec(textOf(value, "$ref") ?? "")?.[1];
      if (target === undefined) return false;
      return target === name || above.includes(target) || this.#isEndless(target, [...above, name]);
    });
  }

  #definition(name: string, value: JsonObject): Definition {
    const branches = branchesOf(value);
    if (branches.length > 0) return { ...prose(value), ...this.#union(branches, name) };
    const values = namesOf(value.enum);
    if (values.length > 0) return { ...prose(value), type: "string", enum: values };
    if (value.properties === undefined) return { ...prose(value), ...this.shape(value, name) };
    const required = namesOf(value.required);
    const properties = objectsOf(value.properties).map(([member, property]): [string, Property] => [
      member,
      {
        ...prose(property),
        ...this.shape(property, `${name}${member.charAt(0).toUpperCase()}${member.slice(1)}`),
      },
    ]);
    return {
      ...prose(value),
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    };
  }

  #union(branches: readonly JsonObject[], name: string): Definition {
    const shapes = branches.map((branch, index) => this.shape(branch, `${name}${index + 1}`));
    const members = shapes.flatMap((shape) => this.definitions.get(targetOf(shape) ?? "") ?? []);
    if (members.length === shapes.length) return uniteDefinitions(shapes, members);
    this.#problems.push(`${name}: only objects can be alternatives`);
    return { type: "object", properties: {} };
  }

  #named(definition: Definition, hint: string): Shape {
    const known = Object.entries(this.#known).find(([, candidate]) => isSame(candidate, definition));
    const name = known?.[0] ?? hint;
    if (!this.definitions.has(name)) this.definitions.set(name, definition);
    return { $ref: `${definitionsPointer}${name}` };
  }
}

function branchesOf(value: JsonObject): JsonObject[] {
  return [...listOf(value.anyOf), ...listOf(value.oneOf)];
}

function prose(value: JsonObject): { readonly description?: string } {
  const description = proseOf(textOf(value, "description"));
  return description === undefined ? {} : { description };
}

/** Whether two nameless things are the same one: enums by their values, containers by what they hold. */
function isSame(known: Definition, definition: Definition): boolean {
  if (definition.enum !== undefined) {
    return isDeepStrictEqual([...(known.enum ?? [])].sort(), [...definition.enum].sort());
  }
  const { items, additionalProperties } = definition;
  return (
    known.properties === undefined &&
    (items ?? additionalProperties) !== undefined &&
    isDeepStrictEqual([known.items, known.additionalProperties], [items, additionalProperties])
  );
}
