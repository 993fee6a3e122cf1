import { violationOf } from "../../json/violation.js";
import type { FieldViolation } from "../../protocol/errors.js";
import type { Part } from "../../protocol/model.js";
import type { DataShape } from "./contract.js";

/** Rules whose own fault only says that one of those before it counts. */
const summaries = ["if"];

/**
 * What is wrong with data.
 * @param path where it is, such as `message.parts[0].data`
 * @returns undefined when it fits
 */
export function faultIn({ check }: DataShape, value: unknown, path: string): FieldViolation | undefined {
  if (check(value)) return undefined;
  const errors = check.errors ?? [];
  // Alternatives tell of each branch first and of themselves last.
  const last = errors.at(-1);
  const cause = last === undefined || summaries.includes(last.keyword) ? errors[0] : last;
  return violationOf(cause && [cause], path);
}

/** A value of a data part, and where it is. */
export interface Located {
  readonly value: unknown;
  readonly path: string;
}

/**
 * The data parts among some parts.
 * @param path of what has the parts, such as `message`
 */
export function dataIn(parts: readonly Part[], path: string): Located[] {
  return parts.flatMap(({ data }, index) =>
    data === undefined ? [] : [{ value: data, path: `${path}.parts[${index}].data` }],
  );
}
