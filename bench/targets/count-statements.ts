import Libsql from "libsql";
import pg from "pg";

let count = 0;

/** Calls of the drivers of SQLite and PostgreSQL by this process since {@link countStatements}, and requests to libSQL. */
export const statements = (): number => count;

/** Counts the statements that this process sends to databases from now on, those that begin and end transactions included. */
export function countStatements(): void {
  countCalls(pg.Client.prototype, ["query"]);
  countCalls(Libsql.prototype, ["exec"]);
  const database = new Libsql(":memory:");
  countCalls(Object.getPrototypeOf(database.prepare("SELECT 1")), ["run", "get", "all"]);
  database.close();
}

/** A `fetch` whose requests are counted. */
export const countRequests: typeof fetch = (...request) => {
  count += 1;
  return fetch(...request);
};

function countCalls(prototype: object, names: readonly string[]): void {
  const methods = prototype as Record<string, (...values: unknown[]) => unknown>;
  for (const name of names) {
    const method = methods[name];
    if (method === undefined) throw new Error(`The driver has no ${name}`);
    methods[name] = function (...values) {
      count += 1;
      return method.apply(this, values);
    };
  }
}
