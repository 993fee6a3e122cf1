/**
 * Where the library writes what an operator should know. It has the shape of a pino logger: facts first, then a
 * sentence. Credentials are never passed to it.
 */
export interface Logger {
  debug(facts: object, text: string): void;
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
  /** Whether lines of a level are written. Without it they all are. With it, a server does not make those that would be dropped. */
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
