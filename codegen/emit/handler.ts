import type { SourceFile } from "ts-morph";
import { refusalCode } from "../refusal.js";
import type { Operation, Spec } from "../spec-model.js";
import { methodDoc, methodName, resultType } from "./method.js";
import { messageTypes } from "./operations.js";
import { printSource } from "./source.js";

/** `handler.ts`: the interface that a server implements, and a base class that refuses every operation. */
export function emitHandler(spec: Spec): string {
  return printSource(spec, (file) => {
    file.addImportDeclarations([
      { namedImports: ["protocolError"], moduleSpecifier: "./errors.js" },
      { isTypeOnly: true, namedImports: messageTypes(spec.operations), moduleSpecifier: "./models.js" },
    ]);
    file.addInterface({
      isExported: true,
      name: "A2AHandler",
      typeParameters: [callParameter],
      docs: [
        "One method per operation. `Call` is what the server tells about a call: caller, tenant, signal.",
      ],
      methods: spec.operations.map((operation) => ({
        name: methodName(operation),
        parameters: [
          { name: "request", type: operation.request },
          { name: "call", type: "Call" },
        ],
        returnType: resultType(operation),
        docs: [methodDoc(operation)],
      })),
    });
    addRefusals(file, spec.operations);
    addBaseHandler(file, spec.operations);
  });
}

const callParameter = { name: "Call", default: "unknown" };

function addRefusals(file: SourceFile, operations: readonly Operation[]): void {
  if (operations.some(({ streaming }) => !streaming)) {
    file.addFunction({
      name: "refuse",
      isAsync: true,
      returnType: "Promise<never>",
      statements: [`throw protocolError("${refusalCode}");`],
    });
  }
  if (operations.some(({ streaming }) => streaming)) {
    file.addFunction({
      name: "refuseStream",
      isAsync: true,
      isGenerator: true,
      returnType: "AsyncGenerator<never>",
      statements: [`throw protocolError("${refusalCode}");`],
    });
  }
}

function addBaseHandler(file: SourceFile, operations: readonly Operation[]): void {
  file.addClass({
    isExported: true,
    name: "UnimplementedHandler",
    typeParameters: [callParameter],
    implements: ["A2AHandler<Call>"],
    docs: [
      `Refuses every operation with \`${refusalCode}\`: extend it to implement some of them. A stream is refused when it is read.`,
    ],
    methods: operations.map((operation) => ({
      name: methodName(operation),
      parameters: [
        { name: "_request", type: operation.request },
        { name: "_call", type: "Call" },
      ],
      returnType: resultType(operation),
      statements: [`return ${operation.streaming ? "refuseStream" : "refuse"}();`],
    })),
  });
}
