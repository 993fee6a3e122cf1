import type { Spec } from "../spec-model.js";
import { methodDoc, methodName, resultType } from "./method.js";
import { messageTypes } from "./operations.js";
import { receivedType, typesWithEnums } from "./received.js";
import { printSource } from "./source.js";

/** `handler.ts`: the interface that a server implements. */
export function emitHandler(spec: Spec): string {
  const withEnums = typesWithEnums(spec);
  return printSource(spec, (file) => {
    file.addImportDeclarations([
      { isTypeOnly: true, namedImports: messageTypes(spec.operations), moduleSpecifier: "./models.js" },
      { isTypeOnly: true, namedImports: ["Received"], moduleSpecifier: "./received.js" },
    ]);
    file.addInterface({
      isExported: true,
      name: "A2AHandler",
      typeParameters: [{ name: "Call", default: "unknown" }],
      docs: [
        "One method per operation. `Call` is what the server tells about a call: caller, tenant, signal. Answers may be those of another agent, as its client returns them.",
      ],
      methods: spec.operations.map((operation) => ({
        name: methodName(operation),
        parameters: [
          { name: "request", type: operation.request },
          { name: "call", type: "Call" },
        ],
        returnType: resultType(operation, receivedType(operation.response, withEnums)),
        docs: [methodDoc(operation)],
      })),
    });
  });
}
