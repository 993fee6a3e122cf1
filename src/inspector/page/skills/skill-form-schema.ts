import type { JsonSchema } from "../../../json/json-schema.js";
import { interpretSchema } from "../../../json/schema/interpret-schema.js";
import { blankValue, type FormDocument, type SchemaNode } from "../forms/form-schema.js";
import type { SchemaProblem, ValuePath } from "../forms/schema-problems.js";

/** A form for the input of a skill. */
export interface SkillForm {
  /** The node of the form; undefined when the input is not an object with known members, and is written as JSON. */
  readonly node: SchemaNode | undefined;
  readonly document: FormDocument;
  /** A value to begin with. */
  readonly start: unknown;
  /** What is wrong with a value, by the whole schema. */
  readonly check: (value: unknown) => readonly SchemaProblem[];
}

type Loose = Readonly<Record<string, unknown>>;

/**
 * The form for a schema that a card publishes. What a form cannot show, such as alternatives, is a field for JSON; the whole schema is
 * checked all the same.
 */
export function skillFormOf(schema: JsonSchema): SkillForm {
  const { $defs, definitions, default: standard, examples } = schema as Loose;
  const document: FormDocument = {
    $defs: Object.fromEntries(
      Object.entries({ ...objectIn(definitions), ...objectIn($defs) }).map(([name, node]) => [
        name,
        formNode(node),
      ]),
    ),
  };
  const node = formNode(schema);
  const [example] = Array.isArray(examples) ? examples : [];
  return {
    node: node.properties === undefined ? undefined : node,
    document,
    start: example ?? standard ?? withDefaults(schema, blank(node, document)),
    check: checkOf(schema),
  };
}

/** A node of any JSON Schema as one that forms know. */
function formNode(schema: unknown): SchemaNode {
  const loose = objectIn(schema);
  const { description: said, title, $ref, enum: values, const: only, properties, items, required } = loose;
  const text = [title, said].filter((each) => typeof each === "string").join(": ");
  const about = text === "" ? {} : { description: text };
  if (typeof $ref === "string") {
    const local = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1];
    return local === undefined ? about : { ...about, $ref: `#/$defs/${local}` };
  }
  if (["anyOf", "oneOf", "allOf", "not", "if"].some((name) => name in loose)) return about;
  const choices = only === undefined ? values : [only];
  if (Array.isArray(choices)) {
    const areTexts = choices.length > 0 && choices.every((each) => typeof each === "string");
    return areTexts ? { ...about, enum: choices as string[] } : about;
  }
  const type = typeIn(loose.type);
  if (isObject(properties))
    return {
      ...about,
      type: "object",
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, formNode(inner)]),
      ),
      required: Array.isArray(required) ? required.filter((name) => Object.hasOwn(properties, name)) : [],
    };
  if (type === "array") return { ...about, type, items: formNode(items), ...numberIn(loose, "minItems") };
  if (type === undefined || type === "object" || type === "null") return about;
  const format = loose.format === "date-time" ? { format: "date-time" } : {};
  return { ...about, type, ...format, ...numberIn(loose, "minimum") };
}

function typeIn(type: unknown): string | undefined {
  const names = Array.isArray(type) ? type.filter((name) => name !== "null") : [type];
  return names.length === 1 && typeof names[0] === "string" ? names[0] : undefined;
}

function numberIn(loose: Loose, name: "minimum" | "minItems"): Partial<SchemaNode> {
  const value = loose[name];
  return typeof value === "number" ? { [name]: value } : {};
}

/** A value with what is required; an empty object for a schema that requires itself without end. */
function blank(node: SchemaNode, document: FormDocument): unknown {
  try {
    return blankValue(node, document);
  } catch {
    return {};
  }
}

/** A blank value with the defaults of the members of its schema. */
function withDefaults(schema: JsonSchema, value: unknown): unknown {
  if (!isObject(value)) return value;
  const defaults = Object.entries(objectIn((schema as Loose).properties)).flatMap(([name, inner]) => {
    const standard = objectIn(inner).default;
    return standard === undefined ? [] : [[name, standard] as const];
  });
  return { ...value, ...Object.fromEntries(defaults) };
}

function checkOf(schema: JsonSchema): SkillForm["check"] {
  let check: ReturnType<typeof interpretSchema>;
  try {
    check = interpretSchema(schema);
  } catch (error) {
    const message = `The schema in the card cannot be used: ${error instanceof Error ? error.message : error}`;
    return () => [{ path: [], message }];
  }
  return (value) => {
    if (check(value)) return [];
    const [first] = check.errors ?? [];
    const message = first?.message ?? "is not valid";
    return [{ path: pathOf(first?.instancePath ?? "", value), message: `This ${message}` }];
  };
}

/** A JSON Pointer as a path: steps into arrays are numbers. */
function pathOf(pointer: string, value: unknown): ValuePath {
  let at = value;
  return pointer
    .split("/")
    .slice(1)
    .map((step) => {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      const isIndex = Array.isArray(at);
      at = Object(at)[name];
      return isIndex ? Number(name) : name;
    });
}

function objectIn(value: unknown): Loose {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
