/**
 * Where the library writes what an operator should know. It has the shape of a pino logger: facts first, then a
 * sentence. Credentials are never passed to it.
 */
export interface Logger {
  debug(facts: object, text: string): void;
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
}

/** A logger that discards everything. */
export const silent: Logger = Object.freeze({ debug: nothing, info: nothing, warn: nothing, error: nothing });

function nothing(): void {
  // Discards its arguments.
}
