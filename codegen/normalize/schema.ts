import type { LoadedFile } from "../load.js";
import { type Place, type Problem, rootPlace } from "../problems.js";
import { reservedNames } from "../reserved-names.js";
import type { Container, Enum, Field, Message, Union } from "../spec-model.js";
import { variantName } from "../variants.js";
import { readEnum } from "./enum.js";
import { type DefinitionKind, type Definitions, readContainerField, readField } from "./field.js";
import { reportEndless } from "./finite.js";
import { isObject, readDescription, readNames, readObject, readString, reportDoubles } from "./members.js";
import { groupKeywords, readOneofs } from "./oneofs.js";
import { readUnion } from "./union.js";

/** The content of `a2a.schema.json`. */
export interface SchemaFacts {
  readonly protocolVersion: string;
  readonly title: string;
  readonly description: string;
  readonly messages: readonly Message[];
  readonly unions: readonly Union[];
  readonly containers: readonly Container[];
  /** Names of all definitions except enums, in schema order. */
  readonly names: readonly string[];
  readonly enums: readonly Enum[];
}

const dialect = "https://json-schema.org/draft/2020-12/schema";
const documentKeywords = ["$schema", "title", "description", "x-protocol-version", "$defs"];
/** Keywords of a definition that only imports use. */
const marks = ["deprecated", "x-reserved"];
const messageKeywords = [
  ...["type", "description", "properties", "required", ...groupKeywords, "allOf"],
  ...marks,
];
const containerKeywords = ["type", "description", "items", "additionalProperties"];
const typeName = /^[A-Z][A-Za-z0-9]*$/;

/** Reads the schema document. Everything that is not understood is added to `problems`. */
export function readSchema({ file, content }: LoadedFile, problems: Problem[]): SchemaFacts {
  const place = rootPlace(file, problems);
  const document = readObject(content, documentKeywords, place);
  if (document.$schema !== dialect) place.at("$schema").report(`must be "${dialect}"`);
  const definitions = isObject(document.$defs) ? document.$defs : {};
  if (Object.keys(definitions).length === 0) place.at("$defs").report("has no definition");
  const kinds: Definitions = new Map(
    Object.entries(definitions).map(([name, value]) => [name, definitionKind(value)]),
  );
  const messages: Message[] = [];
  const unions: Union[] = [];
  const containers: Container[] = [];
  const enums: Enum[] = [];
  for (const [name, value] of Object.entries(definitions)) {
    const here = place.at("$defs", name);
    if (reservedNames.includes(name)) here.report(`type name "${name}" is reserved for generated files`);
    if (!typeName.test(name)) here.report(`type name "${name}" is not in PascalCase`);
    const kind = kinds.get(name);
    if (kind === "enum") enums.push(readEnum(name, value, here));
    else if (kind === "union") unions.push(readUnion(name, value, definitions, here));
    else if (kind === "container") containers.push(readNamedContainer(name, value, kinds, here));
    else messages.push(readMessage(name, value, kinds, here));
  }
  reportVariantClashes(messages, kinds, place.at("$defs"));
  reportMissingNumbers(messages, place.at("$defs"));
  reportEndless({ messages, unions, containers }, place.at("$defs"));
  return {
    protocolVersion: readString(document, "x-protocol-version", place),
    title: readString(document, "title", place),
    description: readDescription(document, place),
    messages,
    unions,
    containers,
    names: Object.keys(definitions).filter((name) => kinds.get(name) !== "enum"),
    enums,
  };
}

function definitionKind(value: unknown): DefinitionKind {
  if (!isObject(value)) return "message";
  if (value.enum !== undefined || value.type === "string") return "enum";
  if (value["x-discriminator"] !== undefined) return "union";
  if (value.properties !== undefined) return "message";
  return value.type === "array" || value.additionalProperties !== undefined ? "container" : "message";
}

function readNamedContainer(name: string, value: unknown, kinds: Definitions, place: Place): Container {
  const keywords = readObject(value, containerKeywords, place);
  const description = readDescription(keywords, place);
  return { name, description, field: readContainerField(keywords, kinds, place) };
}

function readMessage(name: string, value: unknown, definitions: Definitions, place: Place): Message {
  const keywords = readObject(value, messageKeywords, place);
  if (keywords.type !== "object") place.at("type").report('must be "object"');
  const properties = keywords.properties;
  if (!isObject(properties)) place.at("properties").report("must be an object");
  const entries = isObject(properties) ? Object.entries(properties) : [];
  const oneofs = readOneofs(
    keywords,
    entries.map(([member]) => member),
    place,
  );
  const groupOf = (member: string) => oneofs.find(({ members }) => members.includes(member))?.name;
  const required = readNames(keywords, "required", place);
  required.forEach((member, index) => {
    const here = place.at("required", index);
    if (!entries.some(([known]) => known === member)) here.report(`"${member}" is not a property`);
    const group = groupOf(member);
    if (group !== undefined) here.report(`"${member}" is already in the group "${group}"`);
  });
  const fields = entries.map(([member, property]): Field => {
    const group = groupOf(member);
    return {
      ...readField(member, property, definitions, place.at("properties", member)),
      required: required.includes(member),
      ...(group !== undefined && { oneof: group }),
    };
  });
  reportDoubles(
    fields.map(({ number }) => String(number ?? "")),
    "field number",
    (index) => place.at("properties", fields[index]?.name ?? "", "x-number"),
  );
  return { name, description: readDescription(keywords, place), fields, oneofs };
}

/** Reports members without a field number, if any member has one. */
function reportMissingNumbers(messages: readonly Message[], place: Place): void {
  if (messages.every(({ fields }) => fields.every(({ number }) => number === undefined))) return;
  for (const { name, fields } of messages) {
    for (const field of fields) {
      if (field.number !== undefined) continue;
      place.at(name, "properties", field.name, "x-number").report('"x-number" is missing');
    }
  }
}

/** Reports definitions with the name of a branch of a group, such as `PartText`. */
function reportVariantClashes(messages: readonly Message[], definitions: Definitions, place: Place): void {
  for (const { name, oneofs } of messages) {
    for (const member of oneofs.filter(({ required }) => required).flatMap(({ members }) => members)) {
      const variant = variantName(name, member);
      if (definitions.has(variant)) {
        place.at(variant).report(`name is needed for the branch "${member}" of ${name}`);
      }
    }
  }
}
