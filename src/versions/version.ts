import { violationOf } from "../json/violation.js";
import type { ValidationError } from "../protocol/model.js";

/** The version of a request that names none (§3.6.2). */
export const UNNAMED_VERSION = "0.3";

/** The version of the first draft of the protocol. */
export const FIRST_DRAFT_VERSION = "0.1";

/** The name that options, documentation and errors have for the flat dialect of the first draft. No card and no header carries it. */
export const FLAT_VERSION = "0.1-flat";

/** Names of versions that this library had before, which options and stored tasks may still have. */
const earlierNames: ReadonlyMap<string, string> = new Map([["0.1x", FLAT_VERSION]]);

/** The name of a version, for one that may be in an earlier spelling. */
export function versionName(text: string): string {
  return earlierNames.get(text) ?? text;
}

const VERSION = /^(\d+)\.(\d+)(?:\.\d+)?$/;

/**
 * Reads a version as a caller writes it: outer space and a numeric patch number are dropped, since versions are compared by
 * `Major.Minor` alone (§3.6).
 * @returns undefined when it is no version at all (§3.6)
 */
export function readVersion(text: string): string | undefined {
  const [, major, minor] = VERSION.exec(text.trim()) ?? [];
  return major === undefined ? undefined : `${major}.${minor}`;
}

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
