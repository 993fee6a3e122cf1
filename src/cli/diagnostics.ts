import type { Logger } from "../protocol/logger.js";
import type { Io } from "./output.js";
import { plainText } from "./text/plain-text.js";

const REDACTED = "[redacted]";
const YELLOW = "\u001b[33m";
const RED = "\u001b[31m";
const PLAIN = "\u001b[0m";
const START_OF_LINE = "\r\u001b[K";

/** Diagnostics of a command for its user: on stderr, without credentials, with colours and progress only on a terminal. */
export class Diagnostics {
  readonly #io: Io;
  readonly #isDebug: boolean;
  #secrets: readonly string[];
  readonly #colours: boolean;
  #hasProgress = false;

  constructor(io: Io, options: { readonly isDebug: boolean; readonly secrets: readonly string[] }) {
    this.#io = io;
    this.#isDebug = options.isDebug;
    // A header `name: value` is redacted as a whole and by its value.
    const secrets = options.secrets.flatMap((secret) => [
      secret,
      secret.slice(secret.indexOf(":") + 1).trim(),
    ]);
    this.#secrets = [...new Set(secrets)].filter((secret) => secret !== "").sort(longestFirst);
    this.#colours = hasColours(io, io.isTerminal);
  }

  /** Adds credentials to redact. */
  conceal(...secrets: readonly (string | undefined)[]): void {
    const all = [...this.#secrets, ...secrets.flatMap((secret) => secret || [])];
    this.#secrets = [...new Set(all)].sort(longestFirst);
  }

  /** A text without the credentials of this call. No option disables this. */
  redact(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  }

  warn(text: string): void {
    this.#line("warning", YELLOW, text);
  }

  error(text: string): void {
    this.#line("error", RED, text);
  }

  hint(text: string): void {
    this.#line("hint", "", text);
  }

  /** Writes with `--debug` only. */
  debug(text: string): void {
    if (this.#isDebug) this.#line("debug", "", text);
  }

  get isDebug(): boolean {
    return this.#isDebug;
  }

  /** Shows progress in one line that is overwritten, on a terminal only. */
  progress(text: string): void {
    if (!this.#io.isTerminal || this.#io.env.TERM === "dumb") return;
    this.#io.err(START_OF_LINE + plainText(this.redact(text)).replace(/\s+/g, " ").slice(0, 100));
    this.#hasProgress = true;
  }

  /** Clears the progress line. */
  clearProgress(): void {
    if (this.#hasProgress) this.#io.err(START_OF_LINE);
    this.#hasProgress = false;
  }

  /** A logger for the library, which writes to these diagnostics. Its errors are warnings: the command may still succeed. */
  get logger(): Logger {
    const lineOf = (facts: object, text: string): string => `${text} ${JSON.stringify(facts)}`;
    return {
      debug: (facts, text) => this.debug(lineOf(facts, text)),
      info: (facts, text) => this.debug(lineOf(facts, text)),
      warn: (facts, text) => this.warn(lineOf(facts, text)),
      error: (facts, text) => this.warn(lineOf(facts, text)),
    };
  }

  #line(label: string, colour: string, text: string): void {
    this.clearProgress();
    const head = this.#colours && colour !== "" ? `${colour}${label}:${PLAIN}` : `${label}:`;
    this.#io.err(`${head} ${plainText(this.redact(text))}\n`);
  }
}

/** Whether a stream of the process gets colours: on a terminal that supports them, unless NO_COLOR is set. */
export function hasColours({ env }: Pick<Io, "env">, isTerminal: boolean): boolean {
  return isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
}

function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}
