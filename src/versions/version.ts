/** The version of a request that names none (§3.6.2). */
export const UNNAMED_VERSION = "0.3";

/** The version of the first draft of the protocol. */
export const FIRST_DRAFT_VERSION = "0.1";

/**
 * The draft of the next version. A server serves it only if its options or the agent's card name it; a client calls agents in it only if
 * its options do.
 */
export const DRAFT_VERSION = "1.1-draft";

/**
 * The name of the flat dialect of the first draft in options, documentation and errors. The server lists the dialect as 0.1 in
 * `supportedInterfaces`, and as 1.0 in the dialect's own card, because its callers expect that number. When the client calls operations in
 * the dialect, it sends no version header.
 */
export const FLAT_VERSION = "0.1-flat";

/** Former names of versions, which options, cards and stored tasks may still contain. */
const earlierNames: ReadonlyMap<string, string> = new Map([["0.1x", FLAT_VERSION]]);

/** The current name of a version; any other string unchanged. */
export function versionName(text: string): string {
  return earlierNames.get(text) ?? text;
}

/** Whether a version has generations, by the members of its Task. */
export function hasGenerations(membersOfTask: readonly { readonly name: string }[]): boolean {
  return membersOfTask.some(({ name }) => name === "generation");
}

const VERSION = /^(\d+\.\d+)(?:\.\d+|(-draft))?$/;

/**
 * Reads a version as a caller writes it. White space around it is ignored, and so is a numeric patch number, because versions are compared
 * by `Major.Minor` (§3.6). The name of a draft has no patch number.
 * @returns undefined when the string is not a version. The name of a dialect, such as {@link FLAT_VERSION}, does not count as one
 */
export function readVersion(text: string): string | undefined {
  const [, version, draft = ""] = VERSION.exec(text.trim()) ?? [];
  return version && version + draft;
}

/** Thrown for an invalid value. It says where the fault is, and what would be valid or what is wrong. */
export class ContractFault extends Error {
  override readonly name = "ContractFault";
  /** JSON path of the member (`status.state`); `""` is the value as a whole. */
  readonly field: string;
  /** What would be valid or is wrong, as a phrase that follows the field: "must be a string", "is required". */
  readonly expected: string;

  constructor(field: string, expected: string) {
    super(`${field === "" ? "the value" : field} ${expected}`);
    this.field = field;
    this.expected = expected;
  }
}
