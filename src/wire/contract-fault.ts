import type { ValidationError } from "../model.js";
import { violationOf } from "./violation.js";

/** A value that breaks the contract: where, and what would be right there. Local; it never crosses the wire. */
export class ContractFault extends Error {
  override readonly name = "ContractFault";
  /** JSON path of the member (`status.state`); `""` is the value as a whole. */
  readonly field: string;
  /** What would be valid, read as "<field> <text>". */
  readonly expected: string;

  constructor(field: string, expected: string) {
    super(`${field === "" ? "the value" : field} ${expected}`);
    this.field = field;
    this.expected = expected;
  }

  /** The fault that a validator found. */
  static of(errors: readonly ValidationError[] | null | undefined): ContractFault {
    const { field, description } = violationOf(errors);
    return new ContractFault(field, description);
  }
}
