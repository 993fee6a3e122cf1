/**
 * Where the library writes what an operator should know. The shape of a pino logger: facts first, then a sentence.
 * Nothing is printed unless an application passes one in; credentials never get here.
 */
export interface Logger {
  debug(facts: object, text: string): void;
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
}

/** The default: says nothing. */
export const silent: Logger = Object.freeze({ debug: nothing, info: nothing, warn: nothing, error: nothing });

function nothing(): void {
  // There is nobody to tell.
}
