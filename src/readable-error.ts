/** How far causes of causes are looked at. */
const MAX_CAUSES = 5;

/**
 * The error that was thrown, or one that stands for it when it is no error, or when reading its members throws: code that logs
 * or answers an error must not fail because of it.
 */
export function readableError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new Error(describe(thrown));
    return isReadable(thrown, MAX_CAUSES)
      ? thrown
      : new Error("An error whose members are not text was thrown");
  } catch {
    return new Error("A value whose members cannot be read was thrown");
  }
}

function describe(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  return `${thrown === null ? "null" : `A value of type ${typeof thrown}`} was thrown`;
}

/**
 * Reads everything that a log reads of an error.
 * @throws what an accessor throws
 */
function isReadable(error: Error, causes: number): boolean {
  const { name, message, stack = "", cause, ...members } = error;
  const isText = [name, message, stack].every((text) => typeof text === "string");
  const isCauseReadable = !(cause instanceof Error) || causes === 0 || isReadable(cause, causes - 1);
  return isText && isCauseReadable && typeof members === "object";
}
