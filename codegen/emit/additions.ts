import type { Additions } from "../additions.js";
import type { Spec } from "../spec-model.js";
import { banner } from "./banner.js";
import { errorRow } from "./errors.js";
import { lines, literal, memberName } from "./source.js";

/**
 * `additions.ts`: what came new in the version. Literal types, so that the compiler knows which decisions are missing. The rows of the new
 * errors are there once more, so that a draft adds them to the table of the released version.
 */
export function emitAdditions(spec: Spec, additions: Additions): string {
  const { protocolVersion } = spec;
  const { since } = additions;
  const what =
    since === null
      ? `Protocol ${protocolVersion} adds to no version before it: its codec decides about all of it.`
      : `What protocol ${protocolVersion} has and ${since} has not. Its table of decisions has a row for each name.`;
  const rows = Object.entries(additions).map(([kind, names]) => `  ${memberName(kind)}: ${literal(names)}`);
  const errors = spec.errors.filter(({ code }) => additions.errors.includes(code));
  const table = `${banner(spec)}
/** ${what} */
export const additions = ${lines(rows, ["{", "}"])} as const;
`;
  if (errors.length === 0) return table;
  return `${table}
/** The errors that came new. */
export const addedErrors = ${lines(
    errors.map((row) => `  ${row.code}: ${errorRow(row)}`),
    ["{", "}"],
  )} as const;
`;
}
