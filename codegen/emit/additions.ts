import type { Additions } from "../additions.js";
import type { Spec } from "../spec-model.js";
import { isDraft } from "../version-order.js";
import { banner } from "./banner.js";
import { errorRow } from "./errors.js";
import { lines, literal, memberName } from "./source.js";

/**
 * `additions.ts`: the additions of the version, with literal types, so that the compiler finds missing decisions. A draft repeats the rows
 * of the errors that the newest released version lacks, because its codec adds them to the table of that version.
 * @param newest the newest released version
 */
export function emitAdditions(spec: Spec, additions: Additions, newest: Spec): string {
  const { protocolVersion } = spec;
  const { since } = additions;
  const what =
    since === null
      ? `Protocol ${protocolVersion} is the first of its major version, so nothing in it counts as an addition.`
      : `The additions of protocol ${protocolVersion} to ${since}. Its table of decisions has a row for each name.`;
  const rows = Object.entries(additions).map(([kind, names]) => `  ${memberName(kind)}: ${literal(names)}`);
  const errors = newErrors(spec, newest);
  const table = `${banner(spec)}
/** ${what} */
export const additions = ${lines(rows, ["{", "}"])} as const;
`;
  if (!isDraft(protocolVersion)) return table;
  return `${table}
/** The errors that protocol ${newest.protocolVersion}, the newest released one, lacks. */
export const addedErrors = ${lines(
    errors.map((row) => `  ${row.code}: ${errorRow(row)}`),
    ["{", "}"],
  )} as const;
`;
}

/** The errors of a version that the newest released one lacks. */
export function newErrors(spec: Spec, newest: Spec): Spec["errors"] {
  const known = new Set(newest.errors.map(({ code }) => code));
  return spec.errors.filter(({ code }) => !known.has(code));
}
