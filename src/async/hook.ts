/** Maximum depth to which chained causes are read. */
const MAX_CAUSES = 5;

/**
 * The thrown error. A substitute when the value is not an error, when its name, message or stack is not a string, or when reading its
 * members throws: code that logs or answers an error must not fail because of it.
 */
export function readableError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new Error(describe(thrown));
    return isReadable(thrown, MAX_CAUSES)
      ? thrown
      : new Error("An error whose name, message or stack is not a string was thrown");
  } catch {
    return new Error("A value whose members cannot be read was thrown");
  }
}

function describe(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  return `${thrown === null ? "null" : `A value of type ${typeof thrown}`} was thrown`;
}

/**
 * Reads every member of an error that a log reads.
 * @throws what an accessor throws
 */
function isReadable(error: Error, causes: number): boolean {
  const { name, message, stack = "", cause, ...members } = error;
  const isText = [name, message, stack].every((text) => typeof text === "string");
  const isCauseReadable = !(cause instanceof Error) || causes === 0 || isReadable(cause, causes - 1);
  return isText && isCauseReadable && typeof members === "object";
}

/** Limits how long work is awaited. */
export interface HookTimeout {
  /** @throws when the work does not settle in time */
  within<Result>(work: Promise<Result>): Promise<Result>;
}

/** A call of a function that the application passed as an option. */
export interface HookCall<Result> {
  readonly call: () => Result | PromiseLike<Result>;
  /** How long a promise of the hook is awaited; without it, until it settles. */
  readonly hookTimeout?: HookTimeout | undefined;
}

/**
 * Handles a failed hook: returns a value to use instead, or throws.
 * @param error the thrown value as an error whose members can be read
 * @param thrown the thrown value itself
 */
type HookFailure<Result> = (error: Error, thrown: unknown) => Result;

/**
 * Calls a function of the application so that it cannot end the process: `failed` receives what the hook throws, and the reason when its
 * promise rejects or does not settle in time.
 *
 * @returns the result of the hook or, after a failure, of `failed`; a promise when the hook returns one
 * @throws what `failed` throws, and nothing else
 */
export function callHook<Result>(
  { call, hookTimeout }: HookCall<Result>,
  failed: HookFailure<Result>,
): Result | Promise<Result> {
  try {
    const result = call();
    if (!isPromiseLike(result)) return result;
    const settled = Promise.resolve(result);
    const waited = hookTimeout === undefined ? settled : hookTimeout.within(settled);
    return waited.catch((thrown: unknown) => failed(readableError(thrown), thrown));
  } catch (thrown) {
    return failed(readableError(thrown), thrown);
  }
}

function isPromiseLike<Result>(value: Result | PromiseLike<Result>): value is PromiseLike<Result> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
