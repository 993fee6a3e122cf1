/**
 * Receives the lines that the library logs for operators. It has the shape of a pino logger: facts first, then a
 * sentence. Credentials are never passed to it.
 */
export interface Logger {
  debug(facts: object, text: string): void;
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
  /** Whether lines of a level are written; without this method all are. If `debug` is off, the server creates no line for a request. */
  isLevelEnabled?(level: "debug" | "info" | "warn" | "error"): boolean;
}

/** A logger that discards everything. */
export const silent: Logger = Object.freeze({
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  isLevelEnabled: () => false,
});

function nothing(): void {
  // Discards its arguments.
}
