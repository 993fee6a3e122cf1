import { type SourceFile, VariableDeclarationKind } from "ts-morph";
import type { Spec } from "../spec-model.js";
import { printSource } from "./source.js";
import { guardedTypes, guardName } from "./validators.js";

/** `validators.d.ts`: the types of the guards in `validators.js`. */
export function emitValidatorTypes(spec: Spec): string {
  return printSource(spec, (file) => addGuards(file, spec, { isDeclared: true }));
}

/** `validators.ts`: the guards of `checks.ts` with their types, for projects that compile what was generated. */
export function emitTypedValidators(spec: Spec): string {
  return printSource(spec, (file) => {
    file.addImportDeclaration({ namespaceImport: "checks", moduleSpecifier: "./checks.js" });
    addGuards(file, spec, { isDeclared: false });
  });
}

function addGuards(file: SourceFile, spec: Spec, { isDeclared }: { readonly isDeclared: boolean }): void {
  file.addImportDeclaration({
    isTypeOnly: true,
    namedImports: guardedTypes(spec),
    moduleSpecifier: "./models.js",
  });
  file.addInterface({
    isExported: true,
    name: "ValidationError",
    docs: ["The first fault of a value."],
    properties: [
      {
        name: "instancePath",
        type: "string",
        isReadonly: true,
        docs: ["JSON pointer to the faulty value."],
      },
      {
        name: "schemaPath",
        type: "string",
        isReadonly: true,
        docs: ["Path of the violated rule in the schema."],
      },
      {
        name: "keyword",
        type: "string",
        isReadonly: true,
        docs: ["Kind of rule, such as `required`, `type` or `exactlyOne`."],
      },
      {
        name: "params",
        type: "{ readonly [name: string]: unknown }",
        isReadonly: true,
        docs: ["Parameters of the rule, such as the limit or the missing member."],
      },
      {
        name: "message",
        type: "string",
        hasQuestionToken: true,
        isReadonly: true,
        docs: ["Description of the rule."],
      },
    ],
  });
  file.addInterface({
    isExported: true,
    name: "Validator",
    typeParameters: ["T"],
    docs: ["A type guard that leaves the fault of its last call in `errors`."],
    callSignatures: [{ parameters: [{ name: "value", type: "unknown" }], returnType: "value is T" }],
    properties: [{ name: "errors", type: "ValidationError[] | null | undefined", hasQuestionToken: true }],
  });
  const addGuard = (name: string, doc: string) =>
    file.addVariableStatement({
      isExported: true,
      hasDeclareKeyword: isDeclared,
      declarationKind: VariableDeclarationKind.Const,
      declarations: [
        {
          name: guardName(name),
          type: `Validator<${name}>`,
          ...(!isDeclared && { initializer: `checks.${guardName(name)} as Validator<${name}>` }),
        },
      ],
      docs: [doc],
    });
  for (const name of spec.guarded) {
    addGuard(
      name,
      `Whether a value is a \`${name}\` in canonical form, without unknown members or other spellings.`,
    );
  }
  for (const { name } of spec.enums) {
    addGuard(
      name,
      `Whether a value is a name of \`${name}\` that this version defines. Use it on an \`Open<${name}>\` before you look the value up in a table.`,
    );
  }
}
