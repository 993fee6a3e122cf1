import { VariableDeclarationKind } from "ts-morph";
import type { Spec } from "../spec-model.js";
import { formatOfKind, stringFormats } from "./formats.js";
import { lines, literal, printSource } from "./source.js";

/** `string-formats.ts`: the canonical forms of strings, for guards that interpret the table of members. */
export function emitStringFormats(spec: Spec): string {
  const kinds = new Set(spec.messages.flatMap(({ fields }) => fields.map(({ kind }) => kind)));
  const rows = [...kinds].flatMap((kind) => {
    const name = formatOfKind[kind];
    const format = name === undefined ? undefined : stringFormats.get(name);
    if (format === undefined) return [];
    return [
      `${kind}: { name: ${literal(name)}, pattern: ${format.pattern}, lengthUnit: ${format.lengthUnit} }`,
    ];
  });
  return printSource(spec, (file) => {
    file.addImportDeclaration({
      isTypeOnly: true,
      namedImports: ["Field"],
      moduleSpecifier: "./fields.js",
    });
    file.addInterface({
      isExported: true,
      name: "StringFormat",
      docs: ["The canonical form of a string."],
      properties: [
        { name: "name", type: "string", isReadonly: true },
        { name: "pattern", type: "RegExp", isReadonly: true, docs: ["Pattern of the whole string."] },
        { name: "lengthUnit", type: "number", isReadonly: true, docs: ["The length is a multiple of this."] },
      ],
    });
    file.addVariableStatement({
      isExported: true,
      declarationKind: VariableDeclarationKind.Const,
      docs: ["The canonical forms of strings, by the kinds that have one."],
      declarations: [
        {
          name: "stringFormats",
          type: 'Readonly<Partial<Record<Field["kind"], StringFormat>>>',
          initializer: lines(rows, ["{", "}"]),
        },
      ],
    });
  });
}
