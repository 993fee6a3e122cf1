import { valueKind } from "../protocol/argument.js";
import { A2AError } from "../protocol/errors.js";

/**
 * Thrown into an executor at a `yield` whose update is invalid, for example: a shape that the schema refuses, data that is not JSON, a
 * forbidden transition, a reply besides updates of a task, or data that the schema of its skill or extension refuses. The text says what is
 * wrong, with the path of the member if it is about one. Nothing of the update is stored. If the executor does not catch it, the task fails
 * or, if there is none yet, the request fails with INVALID_AGENT_RESPONSE. The text never reaches a caller.
 *
 * @example
 * ```ts
 * try {
 *   yield completed([dataPart(result)]);
 * } catch (err) {
 *   if (err instanceof UpdateRefused) yield failed("The result is not JSON.");
 * }
 * ```
 */
export class UpdateRefused extends Error {
  override readonly name = "UpdateRefused";

  /** The error for the caller if the executor throws this before its first update of a task (§3.3.2). */
  answer(): A2AError {
    return new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause: this });
  }
}

/** Says what an executor gave instead of an update, and what to write; undefined for an object that is no promise. */
export function notAnUpdate(value: unknown): string | undefined {
  if (value instanceof Promise)
    return "The executor gave a promise instead of an update: put `await` before it";
  if (typeof value === "object" && value !== null) return undefined;
  const advice = "yield working(...), artifact(...).text(...), completed(...) or reply(...)";
  return `The executor gave ${valueKind(value)} instead of an update: ${advice}`;
}
