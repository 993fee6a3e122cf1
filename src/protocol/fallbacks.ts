import type { ErrorCode } from "./errors.js";
import type { Role, TaskState } from "./model.js";
import { draftFallbacks, enumFallbacks, errorFallbacks } from "./operations.js";

/** The closed sets that tables are indexed by: the enums of the newest version, and the codes of all errors. */
interface Closed {
  readonly TaskState: TaskState;
  readonly Role: Role;
  readonly ErrorCode: ErrorCode;
}

const fallbacks = { ...enumFallbacks, ErrorCode: { ...errorFallbacks, ...draftFallbacks } };

/** Names that the schema has a fallback for, so that a table need not list them. */
type Newer<Set extends keyof Closed> = keyof (typeof fallbacks)[Set];

/** A table over a closed set that may omit names with a fallback. Complete it with {@link withFallbacks}. */
export type ExplicitEntries<Set extends keyof Closed, Row> = Readonly<
  Record<Exclude<Closed[Set], Newer<Set>>, Row> & Partial<Record<Newer<Set>, Row>>
>;

/**
 * Completes a table: an omitted name gets the row of its fallback, as `schema/` defines it. An explicit row takes
 * precedence.
 */
export function withFallbacks<Set extends keyof Closed, Row>(
  set: Set,
  rows: ExplicitEntries<Set, Row>,
): Readonly<Record<Closed[Set], Row>> {
  const explicit: Readonly<Record<string, Row>> = rows;
  const names: Readonly<Record<string, string>> = fallbacks[set];
  const others = Object.entries(names).map(([name, other]) => [name, explicit[other]]);
  return { ...Object.fromEntries(others), ...explicit };
}
