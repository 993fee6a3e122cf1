import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../normalize/members.js";
import { camelCase } from "./camel-case.js";
import { type Definition, definitionsPointer, type Property, type Shape } from "./contract.js";
import { isRemote, limitsOf, listOf, namesOf, objectsOf, textOf } from "./json-members.js";
import { ImportError, type Official } from "./official.js";
import { proseOf } from "./prose.js";

/** References as the bundle writes them: to files that are not in it. */
const fileReference = /^(?:#\/(?:definitions|\$defs)\/)?(?:[\w.]*\.)?(\w+)\.jsonschema\.json$/;
const wellKnown: Readonly<Record<string, Shape>> = {
  Struct: { type: "object" },
  Value: { "x-type": "any" },
  Timestamp: { type: "string", format: "date-time" },
};
const base64Pattern = /A-Za-z0-9\+\/.*=/;

/** What is known while the definitions of a bundle are read. */
interface Reading {
  /** Names of the definitions without the spaces of their titles. */
  readonly messages: ReadonlySet<string>;
  readonly enums: Map<string, Definition>;
  readonly problems: string[];
}

/** Whether a document is the JSON Schema bundle that is made from the protocol definition of 1.x. */
export function isBundle(document: JsonObject): boolean {
  const entries = objectsOf(document.definitions ?? document.$defs);
  const references = JSON.stringify(document).includes('.jsonschema.json"');
  return references || entries.some(([key, { title }]) => key.includes(" ") && key === title);
}

/**
 * Reads the published JSON Schema bundle of 1.x. Its keys are titles with spaces, its references point at files, its objects
 * are closed and in most of them nothing is required: names and references are repaired, and what it cannot say (field numbers,
 * REQUIRED marks, groups, deprecation, operations, errors) is left to the version before.
 * @throws ImportError when a reference leads nowhere or a shape is not understood
 */
export function readBundle(document: JsonObject): Official {
  const entries = objectsOf(document.definitions ?? document.$defs)
    .map(([key, definition]) => [key.replaceAll(/[^A-Za-z0-9]/g, ""), definition] as const)
    .filter(([name]) => !Object.hasOwn(wellKnown, name));
  const reading: Reading = {
    messages: new Set(entries.map(([name]) => name)),
    enums: new Map(),
    problems: [],
  };
  const messages = entries.map(
    ([name, definition]) => [name, readMessage(name, definition, reading)] as const,
  );
  // Bundles say which members are required, or no word of it.
  const saysRequired = messages.some(([, { required }]) => required !== undefined);
  if (reading.problems.length > 0) throw new ImportError(reading.problems.join("\n"));
  return {
    form: "JSON Schema bundle of the protocol definition",
    definitions: Object.fromEntries([...messages, ...reading.enums]),
    operations: undefined,
    errors: undefined,
    says: { numbers: false, required: saysRequired, groups: false, deprecated: false, explicit: true },
    notes: ["titles were read as names, references to files as references to definitions"],
  };
}

function readMessage(message: string, definition: JsonObject, reading: Reading): Definition {
  // Read as a message it would have no members, and all that it had would seem gone.
  if (definition.$ref !== undefined)
    reading.problems.push(`${message} is only a reference, to ${String(definition.$ref)}`);
  const properties = objectsOf(definition.properties).map(([name, property]) => {
    const shape = readShape(property, `${message}.${name}`, reading);
    const member: Property = {
      ...describe(property),
      ...shape,
      ...limitsOf(property, shape),
      ...explicitMark(property, shape),
    };
    return [name, member] as const;
  });
  const known = properties.map(([name]) => name);
  const required = namesOf(definition.required)
    .map(camelCase)
    .filter((name) => known.includes(name));
  return {
    type: "object",
    ...describe(definition),
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

/** A single scalar without a default has presence: it is `optional` or in a group. */
function explicitMark(property: JsonObject, shape: Shape): Pick<Property, "x-presence"> {
  const isScalar =
    ["string", "boolean", "integer"].includes(shape.type ?? "") && shape.format !== "date-time";
  const isEnum = enumValues(property).length > 0;
  return (isScalar || isEnum) && property.default === undefined ? { "x-presence": "explicit" } : {};
}

function readShape(value: JsonObject, path: string, reading: Reading): Shape {
  if (typeof value.$ref === "string") return readReference(value.$ref, path, reading);
  const values = enumValues(value);
  if (values.length > 0) return readEnum(values, value, { path, reading });
  if (listOf(value.anyOf).some(({ type }) => type === "integer")) return { type: "integer", format: "int32" };
  switch (value.type) {
    case "array":
      if (isObject(value.items)) return { type: "array", items: readShape(value.items, path, reading) };
      break;
    case "object":
      if (!isObject(value.additionalProperties)) return { type: "object" };
      return { type: "object", additionalProperties: readShape(value.additionalProperties, path, reading) };
    case "boolean":
      return { type: "boolean" };
    case "integer":
      return { type: "integer", format: "int32" };
    case "string":
      return textShape(value);
    case undefined:
      return { "x-type": "any" };
  }
  reading.problems.push(`${path}: the shape is not understood: ${JSON.stringify(value).slice(0, 200)}`);
  return { "x-type": "any" };
}

function textShape(value: JsonObject): Shape {
  if (value.format === "date-time") return { type: "string", format: "date-time" };
  return base64Pattern.test(textOf(value, "pattern") ?? "")
    ? { type: "string", format: "byte" }
    : { type: "string" };
}

function readReference(target: string, path: string, { messages, problems }: Reading): Shape {
  if (isRemote(target)) {
    problems.push(`${path}: the reference ${target} leads to another place; references are not fetched`);
    return { "x-type": "any" };
  }
  const name =
    fileReference.exec(target)?.[1] ??
    target
      .split("/")
      .at(-1)
      ?.replaceAll(/[^A-Za-z0-9]/g, "") ??
    "";
  const known = wellKnown[name];
  if (known !== undefined) return known;
  if (!messages.has(name)) problems.push(`${path}: the reference ${target} leads to no definition`);
  return { $ref: `${definitionsPointer}${name}` };
}

/** Names of an enum that stands in the place of a value: the first one is a pattern, the others a list. */
function enumValues(value: JsonObject): string[] {
  const branches = [value, ...listOf(value.anyOf)];
  return branches.flatMap((branch) => {
    const alone = /^\^([A-Z][A-Z0-9_]*)\$$/.exec(textOf(branch, "pattern") ?? "")?.[1];
    return [...(alone === undefined ? [] : [alone]), ...namesOf(branch.enum)];
  });
}

interface Seat {
  readonly path: string;
  readonly reading: Reading;
}

function readEnum(values: readonly string[], value: JsonObject, { path, reading }: Seat): Shape {
  const name = (textOf(value, "title") ?? "").replaceAll(/[^A-Za-z0-9]/g, "");
  if (name === "") reading.problems.push(`${path}: an enum without a title has no name`);
  const known = reading.enums.get(name)?.enum;
  if (known !== undefined && !isDeepStrictEqual([...known].sort(), [...values].sort())) {
    const [one, other] = [
      known.filter((value) => !values.includes(value)),
      values.filter((value) => !known.includes(value)),
    ];
    reading.problems.push(
      `${path}: this copy of ${name} contradicts an earlier one: ${[...one.map((value) => `lacks ${value}`), ...other.map((value) => `has ${value}`)].join(", ") || "values are doubled"}`,
    );
  }
  reading.enums.set(name, { type: "string", enum: known ?? values });
  return { $ref: `${definitionsPointer}${name}` };
}

function describe(value: JsonObject): { readonly description?: string } {
  const description = proseOf(textOf(value, "description"));
  return description === undefined ? {} : { description };
}
