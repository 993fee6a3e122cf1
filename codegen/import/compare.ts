import { isDeepStrictEqual } from "node:util";
import type { Change } from "./change.js";
import { compareDefinitions } from "./compare-definitions.js";
import { compareOperations } from "./compare-operations.js";
import type { Contract } from "./contract.js";

/** Compares two contracts by name. Prose and limits, which are ours, are left out. */
export function compare(before: Contract, after: Contract): Change[] {
  return [
    ...compareDefinitions(before.schema.$defs, after.schema.$defs),
    ...compareOperations(before.operations.operations, after.operations.operations),
    ...compareErrors(before, after),
  ];
}

function compareErrors(before: Contract, after: Contract): Change[] {
  const known = new Map(before.operations.errors.map((row) => [row.code, row]));
  const rows = after.operations.errors;
  const changed = rows.flatMap((row): Change[] => {
    const subject = "error";
    const previous = known.get(row.code);
    if (previous === undefined) {
      return [{ kind: "added", subject, path: row.code, text: `${row.jsonRpcCode}`, breaking: false }];
    }
    if (isDeepStrictEqual([previous.jsonRpcCode, previous.message], [row.jsonRpcCode, row.message]))
      return [];
    const text = `${previous.jsonRpcCode} "${previous.message}" is ${row.jsonRpcCode} "${row.message}"`;
    return [
      { kind: "changed", subject, path: row.code, text, breaking: previous.jsonRpcCode !== row.jsonRpcCode },
    ];
  });
  const removed = before.operations.errors
    .filter(({ code }) => !rows.some((row) => row.code === code))
    .map(({ code, jsonRpcCode }): Change => {
      return { kind: "removed", subject: "error", path: code, text: `${jsonRpcCode}`, breaking: true };
    });
  return [...changed, ...removed];
}
