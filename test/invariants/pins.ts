/**
 * What each public entry point exports, so that a change of the package's surface is a decision: the test fails
 * until the name is added here, or removed. Types are written `type Name`.
 */
export const pins: Record<string, readonly string[]> = {
  ".": [],
  "./server": [],
};
