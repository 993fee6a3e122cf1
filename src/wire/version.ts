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
 * @returns undefined when it is no version at all (VER-14)
 */
export function readVersion(text: string): string | undefined {
  const [, major, minor] = VERSION.exec(text.trim()) ?? [];
  return major === undefined ? undefined : `${major}.${minor}`;
}
