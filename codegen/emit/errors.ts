import { VariableDeclarationKind } from "ts-morph";
import type { ErrorRow, Spec } from "../spec-model.js";
import { lines, literal, literalUnion, printSource } from "./source.js";

/** `errors.ts`: the error table by code. */
export function emitErrors(spec: Spec): string {
  return printSource(spec, (file) => {
    file.addTypeAlias({
      isExported: true,
      name: "ErrorCode",
      type: literalUnion(spec.errors.map(({ code }) => code)),
      docs: ["The closed set of error codes. A code is the `reason` of an ErrorInfo detail."],
    });
    file.addInterface({
      isExported: true,
      name: "ErrorRow",
      docs: ["One error, with its codes in each binding."],
      properties: [
        { name: "name", type: "string", docs: ["Name of the error type."] },
        { name: "jsonRpcCode", type: "number" },
        { name: "httpStatus", type: "number", docs: ["HTTP status in the HTTP+JSON binding."] },
        {
          name: "jsonRpcHttpStatus",
          type: "number",
          docs: ["HTTP status of a JSON-RPC response with this error."],
        },
        { name: "status", type: "string", docs: ["`status` of an HTTP+JSON error body."] },
        { name: "message", type: "string", docs: ["Default message."] },
        { name: "kind", type: '"protocol" | "standard" | "transport"' },
      ].map((property) => ({ ...property, isReadonly: true })),
    });
    file.addVariableStatement({
      isExported: true,
      declarationKind: VariableDeclarationKind.Const,
      docs: ["Every error by its code, in schema order."],
      declarations: [
        {
          name: "errors",
          type: "Readonly<Record<ErrorCode, ErrorRow>>",
          initializer: lines(spec.errors.map(errorEntry), ["{", "}"]),
        },
      ],
    });
  });
}

function errorEntry(row: ErrorRow): string {
  return `/** ${row.description} */\n${row.code}: ${errorRow(row)}`;
}

/** A row of the table, without code, description and fallback. */
export function errorRow({ code: _, description: __, fallback: ___, ...row }: ErrorRow): string {
  return literal(row);
}
