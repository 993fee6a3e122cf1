import type { Change } from "./change.js";
import { compareDefinitions } from "./compare-definitions.js";
import { compareOperations } from "./compare-operations.js";
import type { Contract } from "./contract.js";

/** Compares two contracts by name. Prose, which is ours, is left out. */
export function compare(before: Contract, after: Contract): Change[] {
  return [
    ...compareDefinitions(before.schema.$defs, after.schema.$defs),
    ...compareService(before.operations.service, after.operations.service),
    ...compareOperations(before.operations.operations, after.operations.operations),
    ...compareErrors(before, after),
  ];
}

/** The full name of the service, its package included, is the path of every gRPC call. */
function compareService(before: string | undefined, after: string | undefined): Change[] {
  if (before === after || before === undefined || after === undefined) return [];
  return [{ kind: "renamed", subject: "service", path: after, text: `was ${before}`, breaking: true }];
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
    const differ = (text: string, breaking: boolean): Change => {
      return { kind: "changed", subject, path: row.code, text, breaking };
    };
    const [was, is] = [previous, row].map(({ jsonRpcCode, message }) => `${jsonRpcCode} "${message}"`);
    const [old, now] = [previous, row].map(({ httpStatus, status }) => `HTTP ${httpStatus} ${status}`);
    return [
      ...(was === is ? [] : [differ(`${was} is ${is}`, previous.jsonRpcCode !== row.jsonRpcCode)]),
      ...(old === now ? [] : [differ(`${old} is ${now}`, true)]),
    ];
  });
  const removed = before.operations.errors
    .filter(({ code }) => !rows.some((row) => row.code === code))
    .map(({ code, jsonRpcCode }): Change => {
      return { kind: "removed", subject: "error", path: code, text: `${jsonRpcCode}`, breaking: true };
    });
  return [...changed, ...removed];
}
