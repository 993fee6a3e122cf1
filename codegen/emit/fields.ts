import { type SourceFile, VariableDeclarationKind } from "ts-morph";
import type { Field, Spec } from "../spec-model.js";
import { MEMBER_GRAMMAR, memberText } from "./member-text.js";
import { lines, literal, literalUnion, memberName, printSource } from "./source.js";

/**
 * `fields.ts`: the members of every message with their rules, the content of unions and containers, and the numbers of every enum, as data.
 */
export function emitFields(spec: Spec): string {
  return printSource(spec, (file) => {
    addNames(file, spec);
    addFieldTypes(file, spec);
    addTable(file, {
      name: "enums",
      type: "Readonly<Record<EnumName, Readonly<Record<string, number>>>>",
      doc: "The values of every enum by name, with their numbers.",
      rows: spec.enums.map(({ name, values }) => {
        const entries = values.map((value) => `${memberName(value.name)}: ${value.number}`);
        return `${name}: ${lines(entries, ["{", "}"])}`;
      }),
    });
    if (spec.unions.length > 0) addUnions(file, spec);
    if (spec.containers.length > 0) addContainers(file, spec);
    addMessages(file, spec);
  });
}

function addMessages(file: SourceFile, { messages }: Spec): void {
  const rows = messages.map(({ name, fields, oneofs }) => {
    const optional = new Set(oneofs.filter(({ required }) => !required).map((group) => group.name));
    return `${name}: ${literal(fields.map((field) => memberText(field, optional)).join(" "))}`;
  });
  addTable(file, {
    name: "memberTexts",
    type: "Readonly<Record<MessageName, string>>",
    doc: `The members of every message as text, in schema order. ${MEMBER_GRAMMAR}`,
    rows,
  });
}

/** Name of the type for the names of all types except enums. */
export function typeName({ unions, containers }: Spec): string {
  return unions.length + containers.length > 0 ? "TypeName" : "MessageName";
}

function addUnions(file: SourceFile, { unions }: Spec): void {
  file.addInterface({
    isExported: true,
    name: "UnionRow",
    docs: ["The messages of a union, by the constants of the member that distinguishes them."],
    properties: [
      { name: "discriminator", type: "string", isReadonly: true },
      {
        name: "types",
        type: "Readonly<Record<string, MessageName>>",
        isReadonly: true,
        docs: ["Names of the messages, by value of the discriminator."],
      },
    ],
  });
  const rows = unions.map(
    ({ name, discriminator, members }) =>
      `${name}: ${literal({ discriminator, types: Object.fromEntries(members) })}`,
  );
  addTable(file, {
    name: "unions",
    type: "Readonly<Record<UnionName, UnionRow>>",
    doc: "Every union.",
    rows,
  });
}

function addContainers(file: SourceFile, { containers }: Spec): void {
  const rows = containers.map(({ name, field }) => `${name}: ${literal(fieldRow(field))}`);
  const type = "Readonly<Record<ContainerName, Field>>";
  addTable(file, { name: "containers", type, doc: "The elements of every named list and map.", rows });
}

interface Table {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
  readonly rows: readonly string[];
}

function addTable(file: SourceFile, { name, type, doc, rows }: Table): void {
  file.addVariableStatement({
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    docs: [doc],
    declarations: [{ name, type, initializer: lines(rows, ["{", "}"]) }],
  });
}

function addNames(file: SourceFile, spec: Spec): void {
  const { messages, unions, containers, enums } = spec;
  file.addTypeAlias({
    isExported: true,
    name: "MessageName",
    type: literalUnion(messages.map(({ name }) => name)),
    docs: ["Names of the object types."],
  });
  file.addTypeAlias({
    isExported: true,
    name: "EnumName",
    type: literalUnion(enums.map(({ name }) => name)),
    docs: ["Names of the enums."],
  });
  if (typeName(spec) === "MessageName") return;
  file.addTypeAliases(
    [
      { name: "UnionName", type: namesOf(unions), docs: ["Names of the unions."] },
      { name: "ContainerName", type: namesOf(containers), docs: ["Names of the named lists and maps."] },
      {
        name: "TypeName",
        type: "MessageName | UnionName | ContainerName",
        docs: ["Names of all types except enums."],
      },
    ].map((alias) => ({ ...alias, isExported: true })),
  );
}

function namesOf(definitions: readonly { readonly name: string }[]): string {
  return literalUnion(definitions.map(({ name }) => name));
}

function addFieldTypes(file: SourceFile, spec: Spec): void {
  const flag = (name: string, doc: string) => ({ name, type: "true", hasQuestionToken: true, docs: [doc] });
  const count = (name: string, doc: string) => ({
    name,
    type: "number",
    hasQuestionToken: true,
    docs: [doc],
  });
  file.addInterface({
    name: "FieldBase",
    properties: [
      { name: "name", type: "string", docs: ["JSON name, in camelCase."] },
      count("min", "Minimum length of a string in UTF-16 code units, or minimum of a whole number."),
      count("max", "Maximum of a whole number."),
      flag("repeated", "The values are in an array."),
      count("minItems", "Minimum number of values in the array."),
      flag("map", "The values are in an object with arbitrary keys."),
      { name: "required", type: "true", hasQuestionToken: true },
      flag("explicit", "Absent differs from the default value."),
      {
        name: "oneof",
        type: "string",
        hasQuestionToken: true,
        docs: ["Group of which exactly one member is present, or at most one if `optional` is set."],
      },
      flag("optional", "The group may be absent."),
    ].map((property) => ({ ...property, isReadonly: true })),
  });
  file.addInterface({
    isExported: true,
    name: "ScalarField",
    extends: ["FieldBase"],
    docs: ["A member whose values are neither messages nor enums."],
    properties: [{ name: "kind", type: literalUnion(scalarKinds), isReadonly: true }],
  });
  for (const [name, kind, type] of [
    ["EnumField", "enum", "EnumName"],
    ["MessageField", "message", typeName(spec)],
  ] as const) {
    file.addInterface({
      isExported: true,
      name,
      extends: ["FieldBase"],
      docs: [`A member whose values are of the ${kind} \`type\`.`],
      properties: [
        { name: "kind", type: literal(kind), isReadonly: true },
        { name: "type", type, isReadonly: true },
      ],
    });
  }
  file.addTypeAlias({
    isExported: true,
    name: "Field",
    type: "ScalarField | EnumField | MessageField",
    docs: ["One member of a message."],
  });
}

const scalarKinds: readonly Field["kind"][] = [
  "string",
  "bytes",
  "bool",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "double",
  "timestamp",
  "struct",
  "any",
];

/** What a container holds. */
function fieldRow(field: Field): object {
  const { name, kind, type, container, minItems } = field;
  return {
    name,
    kind,
    ...(type !== undefined && { type }),
    ...(container === "list" && { repeated: true }),
    ...(minItems !== undefined && { minItems }),
    ...(container === "map" && { map: true }),
  };
}
