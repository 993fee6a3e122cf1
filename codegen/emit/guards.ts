import { type SourceFile, VariableDeclarationKind } from "ts-morph";
import type { Operation, Spec } from "../spec-model.js";
import { messageTypes } from "./operations.js";
import { lines, printSource } from "./source.js";
import { guardName } from "./validators.js";

/** `guards.ts`: the guards of requests and responses. They are not in the table of operations, because browsers load that table. */
export function emitGuards(spec: Spec): string {
  const { operations } = spec;
  return printSource(spec, (file) => {
    file.addImportDeclarations([
      { isTypeOnly: true, namedImports: ["OperationTypes"], moduleSpecifier: "./operations.js" },
      {
        namedImports: [
          ...messageTypes(operations).map((name) => ({ name: guardName(name) })),
          { name: "Validator", isTypeOnly: true },
        ],
        moduleSpecifier: "./validators.js",
      },
    ]);
    addTable(file, {
      name: "requestGuards",
      type: '{ readonly [Name in keyof OperationTypes]: Validator<OperationTypes[Name]["request"]> }',
      doc: "The guard of each operation's request.",
      guard: ({ request }) => guardName(request),
      operations,
    });
    addTable(file, {
      name: "responseGuards",
      type: '{ readonly [Name in keyof OperationTypes]: OperationTypes[Name]["response"] extends null ? null : Validator<OperationTypes[Name]["response"]> }',
      doc: "The guard of each operation's response, or of each event of its stream; `null` when the response is empty.",
      guard: ({ response }) => (response === null ? "null" : guardName(response)),
      operations,
    });
  });
}

interface Table {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
  readonly guard: (operation: Operation) => string;
  readonly operations: readonly Operation[];
}

function addTable(file: SourceFile, { name, type, doc, guard, operations }: Table): void {
  const rows = operations.map((operation) => `${operation.name}: ${guard(operation)}`);
  file.addVariableStatement({
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    docs: [doc],
    declarations: [{ name, type, initializer: lines(rows, ["{", "}"]) }],
  });
}
