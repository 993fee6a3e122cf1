import type { Spec } from "../spec-model.js";
import { errorLink, operationLink, page, table } from "./markdown.js";

/** `errors.md`: the error table, and each error with the operations that document it. */
export function errorsPage({ protocolVersion, errors, operations, commonErrors }: Spec): string {
  const rows = errors.map(({ code, jsonRpcCode, httpStatus, status, kind }) => [
    errorLink(code),
    `\`${jsonRpcCode}\``,
    String(httpStatus),
    `\`${status}\``,
    kind,
  ]);
  return page(`Errors of A2A ${protocolVersion}`, [
    "The code is the `reason` of the `google.rpc.ErrorInfo` detail; use it to identify an error, because several errors share a number. JSON-RPC and HTTP are the numbers of the error in these bindings. Status is the name in `google.rpc.Code`, in the body of HTTP+JSON responses and in gRPC; `METHOD_NOT_FOUND` has `UNIMPLEMENTED` in gRPC and in HTTP+JSON responses with status 405. The kinds are `protocol` for errors of A2A, `standard` for errors that JSON-RPC defines, and `transport` for errors of HTTP, which A2A does not number.",
    table(["Code", "JSON-RPC", "HTTP", "Status", "Kind"], rows),
    ...errors.flatMap((row) => {
      const own = operations.filter(({ errors: codes }) => codes.includes(row.code));
      const from = commonErrors.includes(row.code)
        ? "Any operation may return it."
        : `The operations that document it: ${own.map(({ name }) => operationLink(name)).join(", ")}.`;
      const inJsonRpc =
        row.jsonRpcHttpStatus === 200
          ? ""
          : ` JSON-RPC responses with it have HTTP status ${row.jsonRpcHttpStatus}.`;
      const older =
        row.fallback === undefined ? "" : ` Earlier versions have ${errorLink(row.fallback)} instead.`;
      return [
        `## ${row.code}`,
        `${row.description}${older}`,
        `Name \`${row.name}\`, message "${row.message}". ${from}${inJsonRpc}`,
      ];
    }),
  ]);
}
