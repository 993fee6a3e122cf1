/** The kind of a value, as error texts name it: `undefined`, `null`, `a promise`, `a list`, `an object`, or its type, as in `a string`. */
export function valueKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (value instanceof Promise) return "a promise";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * The error of a call whose argument cannot be used. Without it, a mistake in a program without types fails inside the library, or not
 * at all.
 * @param needs the function and what it needs, such as `textOf needs a message or an artifact`
 */
export function argumentError(needs: string, given: unknown): TypeError {
  const remedy = given instanceof Promise ? ": put `await` before it" : "";
  return new TypeError(`${needs}, not ${valueKind(given)}${remedy}`);
}

/**
 * Checks an argument whose members are read.
 * @param needs as in {@link argumentError}
 * @throws TypeError when it is not an object, or is a promise
 */
export function assertObject(given: unknown, needs: string): void {
  if (typeof given !== "object" || given === null || given instanceof Promise)
    throw argumentError(needs, given);
}
