import { Scope, type SourceFile } from "ts-morph";
import type { Spec } from "../spec-model.js";
import { methodDoc, methodName, resultType } from "./method.js";
import { messageTypes } from "./operations.js";
import { receivedType, typesWithEnums } from "./received.js";
import { printSource } from "./source.js";

/** `client.ts`: an abstract class with one typed method per operation, on top of two methods that a transport implements. */
export function emitClient(spec: Spec): string {
  return printSource(spec, (file) => {
    const names = ["OperationTypes", "StreamingOperationName", "UnaryOperationName"];
    file.addImportDeclarations([
      { isTypeOnly: true, namedImports: messageTypes(spec.operations), moduleSpecifier: "./models.js" },
      { isTypeOnly: true, namedImports: names, moduleSpecifier: "./operations.js" },
      { isTypeOnly: true, namedImports: ["Received"], moduleSpecifier: "./received.js" },
    ]);
    addStub(file, spec);
  });
}

function addStub(file: SourceFile, spec: Spec): void {
  const withEnums = typesWithEnums(spec);
  file.addClass({
    isExported: true,
    isAbstract: true,
    name: "ClientStub",
    typeParameters: [{ name: "Options", default: "unknown" }],
    docs: [
      "One method per operation. `Options` are the options of a call, such as its signal, headers or time limit.",
    ],
    methods: [
      {
        ...transportMethod("callUnary", "UnaryOperationName", 'Promise<OperationTypes[Name]["received"]>'),
        docs: ["Makes a call whose response is one value."],
      },
      {
        ...transportMethod(
          "callStream",
          "StreamingOperationName",
          'AsyncIterable<OperationTypes[Name]["received"]>',
        ),
        docs: ["Makes a call whose response is a stream."],
      },
      ...spec.operations.map((operation) => ({
        name: methodName(operation),
        parameters: [
          { name: "request", type: operation.request },
          { name: "options", type: "Options", hasQuestionToken: true },
        ],
        returnType: resultType(operation, receivedType(operation.response, withEnums)),
        statements: [
          `return this.${operation.streaming ? "callStream" : "callUnary"}("${operation.name}", request, options);`,
        ],
        docs: [methodDoc(operation)],
      })),
    ],
  });
}

function transportMethod(name: string, constraint: string, returnType: string) {
  return {
    name,
    isAbstract: true,
    scope: Scope.Protected,
    typeParameters: [{ name: "Name", constraint }],
    parameters: [
      { name: "operation", type: "Name" },
      { name: "request", type: 'OperationTypes[Name]["request"]' },
      { name: "options", type: "Options", hasQuestionToken: true },
    ],
    returnType,
  };
}
