/** The version of a request that names none (§3.6.2). */
export const UNNAMED_VERSION = "0.3";

/** The version of the first draft of the protocol. */
export const FIRST_DRAFT_VERSION = "0.1";

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
