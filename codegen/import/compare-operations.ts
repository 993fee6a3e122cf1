import type { Change } from "./change.js";
import { compareDeprecation } from "./compare-enum.js";
import type { OperationRow, Route } from "./contract.js";

/** Differences between the operations of two versions. */
export function compareOperations(before: readonly OperationRow[], after: readonly OperationRow[]): Change[] {
  const subject = "operation";
  const gone = before.filter(({ name }) => !after.some((row) => row.name === name));
  const replaced: OperationRow[] = [];
  const changes = after.flatMap((row): Change[] => {
    const previous = before.find(({ name }) => name === row.name);
    if (previous !== undefined) return compareOperation(previous, row);
    const origin = gone.find(
      (candidate) => describe(candidate) === describe(row) || sharesRoute(candidate, row),
    );
    if (origin === undefined)
      return [{ kind: "added", subject, path: row.name, text: describe(row), breaking: false }];
    replaced.push(origin);
    return [{ kind: "renamed", subject, path: row.name, text: `was perhaps ${origin.name}`, breaking: true }];
  });
  const removed = gone
    .filter((row) => !replaced.includes(row))
    .map((row): Change => {
      return { kind: "removed", subject, path: row.name, text: describe(row), breaking: true };
    });
  return [...changes, ...removed];
}

function sharesRoute({ http }: OperationRow, other: OperationRow): boolean {
  return http.some((route) =>
    other.http.some(({ verb, path }) => verb === route.verb && path === route.path),
  );
}

function describe({ request, response, streaming }: OperationRow): string {
  return `${request} -> ${streaming ? "stream of " : ""}${response ?? "nothing"}`;
}

/** A route in words. The body is named only if the verb does not imply it. */
function describeRoute({ verb, path, body }: Route): string {
  if (body === undefined) return `${verb} ${path}`;
  return `${verb} ${path}, ${body === "" ? "no body" : `body ${body}`}`;
}

function compareOperation(before: OperationRow, after: OperationRow): Change[] {
  const path = after.name;
  const differ = (what: string, was: string, now: string): Change[] =>
    was === now
      ? []
      : [{ kind: "changed", subject: "operation", path, text: `${what} ${was} is ${now}`, breaking: true }];
  const routes = (row: OperationRow) => row.http.map(describeRoute);
  const [old, now] = [routes(before), routes(after)];
  return [
    ...differ("method", before.method, after.method),
    ...differ("signature", describe(before), describe(after)),
    ...compareDeprecation("operation", path, before, after),
    ...now
      .filter((route) => !old.includes(route))
      .map((text): Change => ({ kind: "added", subject: "route", path, text, breaking: false })),
    ...old
      .filter((route) => !now.includes(route))
      .map((text): Change => ({ kind: "removed", subject: "route", path, text, breaking: true })),
  ];
}
