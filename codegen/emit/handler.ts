import type { Spec } from "../spec-model.js";
import { methodDoc, methodName, resultType } from "./method.js";
import { messageTypes } from "./operations.js";
import { printSource } from "./source.js";

/** `handler.ts`: the interface that a server implements. */
export function emitHandler(spec: Spec): string {
  return printSource(spec, (file) => {
    file.addImportDeclaration({
      isTypeOnly: true,
      namedImports: messageTypes(spec.operations),
      moduleSpecifier: "./models.js",
    });
    file.addInterface({
      isExported: true,
      name: "A2AHandler",
      typeParameters: [{ name: "Call", default: "unknown" }],
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
  });
}
