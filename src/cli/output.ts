import { type Failure, usage } from "./failure.js";
import { Page } from "./text/page.js";
import type { Values } from "./values.js";

/** Everything through which a command touches the outside, so that it can run inside a test as well as in a process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  readonly folder: string;
  /** Home folder of the user, where the global configuration is. */
  readonly home: string;
  /** Writes a payload: what scripts read. */
  out(text: string): void;
  /** Writes a diagnostic. */
  err(text: string): void;
  /** Whether a person reads the diagnostics as they come. */
  readonly isTerminal: boolean;
  /** Reads standard input to its end. */
  readInput(): Promise<string>;
  /** Lines of standard input as they come; they end with it, or with the signal. */
  readLines(signal: AbortSignal): AsyncIterable<string>;
  /** Whether a person types the standard input. */
  readonly isTyped: boolean;
  /** Ends the command, as Ctrl+C does. */
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Takes the certificate of any server from now on. */
  trustAnyCertificate(): void;
}

/** How a command prints. */
interface OutputStyle {
  readonly isJson: boolean;
  /** Whether values are printed as they come, one per line. */
  readonly isStream: boolean;
  readonly isVerbose: boolean;
}

/**
 * The style that the options ask for.
 * @throws Failure for a format that there is not
 */
export function styleIn(values: Values): OutputStyle {
  const format = values.text("output");
  if (format !== "json" && format !== "text") throw usage(`--output takes text or json, not "${format}"`);
  return { isJson: format === "json", isStream: values.isOn("stream"), isVerbose: values.isOn("verbose") };
}

/** What a command prints: fields for people, or the protocol's own objects for programs. */
export class CommandOutput implements OutputStyle {
  readonly isJson: boolean;
  readonly isStream: boolean;
  readonly isVerbose: boolean;
  readonly #io: Io;

  constructor(io: Io, style: OutputStyle) {
    this.#io = io;
    this.isJson = style.isJson;
    this.isStream = style.isStream;
    this.isVerbose = style.isVerbose;
  }

  /**
   * Prints a value: as JSON, or as the page that `write` makes of it.
   */
  print(value: unknown, write: (page: Page) => void): void {
    if (this.isJson) this.#io.out(`${JSON.stringify(value, undefined, this.isStream ? 0 : 2)}\n`);
    else this.page(write);
  }

  /** Prints text for people. */
  page(write: (page: Page) => void): void {
    const page = new Page(this.isVerbose);
    write(page);
    this.#io.out(page.text);
  }

  /** Prints text as it stands. */
  raw(text: string): void {
    this.#io.out(text);
  }

  /** Prints a failure in the place of a value, for programs. */
  failure(failure: Failure, clean: (text: string) => string): void {
    if (!this.isJson) return;
    const { code, hint, a2aCode } = failure;
    const error = { code, message: clean(failure.message), hint: hint ?? null, a2aCode: a2aCode ?? null };
    this.#io.out(`${JSON.stringify({ error }, undefined, this.isStream ? 0 : 2)}\n`);
  }
}
