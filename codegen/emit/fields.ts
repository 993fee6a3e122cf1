import { type SourceFile, VariableDeclarationKind } from "ts-morph";
import type { Field, Message, Spec } from "../spec-model.js";
import { lines, literal, literalUnion, memberName, printSource } from "./source.js";

/** `fields.ts`: the members of every message and the numbers of every enum, as data. */
export function emitFields(spec: Spec): string {
  return printSource(spec, (file) => {
    addNames(file, spec);
    addFieldTypes(file);
    file.addVariableStatement({
      isExported: true,
      declarationKind: VariableDeclarationKind.Const,
      docs: ["The members of every message, in schema order."],
      declarations: [
        {
          name: "messages",
          type: "Readonly<Record<MessageName, readonly Field[]>>",
          initializer: lines(spec.messages.map(messageEntry), ["{", "}"]),
        },
      ],
    });
    file.addVariableStatement({
      isExported: true,
      declarationKind: VariableDeclarationKind.Const,
      docs: ["The values of every enum by name, with their numbers."],
      declarations: [
        {
          name: "enums",
          type: "Readonly<Record<EnumName, Readonly<Record<string, number>>>>",
          initializer: lines(
            spec.enums.map(({ name, values }) => {
              const entries = values.map((value) => `${memberName(value.name)}: ${value.number}`);
              return `${name}: ${lines(entries, ["{", "}"])}`;
            }),
            ["{", "}"],
          ),
        },
      ],
    });
  });
}

function addNames(file: SourceFile, { messages, enums }: Spec): void {
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
}

function addFieldTypes(file: SourceFile): void {
  file.addInterface({
    name: "FieldBase",
    properties: [
      { name: "name", type: "string", docs: ["JSON name, in camelCase."] },
      { name: "number", type: "number", docs: ["Field number of the protocol definition."] },
      { name: "repeated", type: "true", hasQuestionToken: true, docs: ["The values are in an array."] },
      {
        name: "map",
        type: "true",
        hasQuestionToken: true,
        docs: ["The values are in an object, under free keys."],
      },
      { name: "required", type: "true", hasQuestionToken: true },
      {
        name: "explicit",
        type: "true",
        hasQuestionToken: true,
        docs: ["Absent differs from the default value."],
      },
      {
        name: "oneof",
        type: "string",
        hasQuestionToken: true,
        docs: ["Group of which exactly one member is present."],
      },
    ].map((property) => ({ ...property, isReadonly: true })),
  });
  file.addInterface({
    isExported: true,
    name: "ScalarField",
    extends: ["FieldBase"],
    docs: ["A member whose values are no message and no enum."],
    properties: [{ name: "kind", type: literalUnion(scalarKinds), isReadonly: true }],
  });
  for (const [name, kind, type] of [
    ["EnumField", "enum", "EnumName"],
    ["MessageField", "message", "MessageName"],
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
  "timestamp",
  "struct",
  "any",
];

function messageEntry({ name, fields }: Message): string {
  return `${name}: ${lines(
    fields.map((field) => literal(fieldRow(field))),
    ["[", "]"],
  )}`;
}

function fieldRow(field: Field): object {
  const { name, number, kind, type, container, required, explicit, oneof } = field;
  return {
    name,
    number,
    kind,
    ...(type !== undefined && { type }),
    ...(container === "list" && { repeated: true }),
    ...(container === "map" && { map: true }),
    ...(required && { required }),
    ...(explicit && { explicit }),
    ...(oneof !== undefined && { oneof }),
  };
}
