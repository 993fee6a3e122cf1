import type { InStatement, InValue } from "@libsql/client/http";
import type { Value } from "../sql/remote-database.js";

/** A statement and its values. */
export type Bound = readonly [text: string, values: readonly Value[]];

/** Converts a statement with the parameters `$1`, `$2` and so on for the driver, which sends numbers as reals, but bigints as integers. */
export function statementOf([text, values]: Bound): InStatement {
  return { sql: text.replaceAll(/\$(\d+)/g, "?$1"), args: values.map(argumentOf) };
}

function argumentOf(value: Value): InValue {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}
