import { violationOf } from "../../json/violation.js";
import type { FieldViolation } from "../../protocol/errors.js";
import type { Part } from "../../protocol/model.js";
import type { DataShape } from "./contract.js";

/** Keywords whose own error only says that one of the preceding errors matters. */
const summaries = ["if"];

/**
 * The error in some data.
 * @param path of the data, such as `message.parts[0].data`
 * @returns undefined when the data is valid
 */
export function faultIn({ check }: DataShape, value: unknown, path: string): FieldViolation | undefined {
  if (check(value)) return undefined;
  const errors = check.errors ?? [];
  // Alternatives report each branch first and themselves last.
  const last = errors.at(-1);
  const cause = last === undefined || summaries.includes(last.keyword) ? errors[0] : last;
  return violationOf(cause && [cause], path);
}

/** The value of a data part, and its path. */
export interface Located {
  readonly value: unknown;
  readonly path: string;
}

/**
 * The data parts in a list of parts.
 * @param path of the object that has the parts, such as `message`
 */
export function dataIn(parts: readonly Part[], path: string): Located[] {
  return parts.flatMap(({ data }, index) =>
    data === undefined ? [] : [{ value: data, path: `${path}.parts[${index}].data` }],
  );
}
