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
        "One method per operation. `Call` describes the call, for example its caller, tenant and signal. A method may return the response of another agent as a client has received it.",
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
