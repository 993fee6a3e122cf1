import type { ErrorCode } from "./errors.js";
import type { Role, TaskState } from "./model.js";
import { enumStandIns, errorStandIns } from "./operations.js";

/** The closed sets of the newest version that tables are kept over. */
interface Closed {
  readonly TaskState: TaskState;
  readonly Role: Role;
  readonly ErrorCode: ErrorCode;
}

const fallbacks = { ...enumStandIns, ErrorCode: errorStandIns };

/** Names that the schema has a stand-in for: nobody needs to have decided about them. */
type Newer<Set extends keyof Closed> = keyof (typeof fallbacks)[Set];

/** A table over a closed set, which may leave out what has a stand-in: to be completed by {@link withFallbacks}. */
export type ExplicitEntries<Set extends keyof Closed, Row> = Readonly<
  Record<Exclude<Closed[Set], Newer<Set>>, Row> & Partial<Record<Newer<Set>, Row>>
>;

/**
 * The whole table: a name that it leaves out has the row of its stand-in, as `schema/` names it. A row that somebody has written
 * counts before that.
 */
export function withFallbacks<Set extends keyof Closed, Row>(
  set: Set,
  rows: ExplicitEntries<Set, Row>,
): Readonly<Record<Closed[Set], Row>> {
  const decided: Readonly<Record<string, Row>> = rows;
  const names: Readonly<Record<string, string>> = fallbacks[set];
  const others = Object.entries(names).map(([name, other]) => [name, decided[other]]);
  return { ...Object.fromEntries(others), ...decided };
}
