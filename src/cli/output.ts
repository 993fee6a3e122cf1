import { type Failure, usage } from "./failure.js";
import type { Io } from "./io.js";
import { Page } from "./text/page.js";
import type { Values } from "./values.js";

/** How a command prints. */
export interface OutputStyle {
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
export class Output implements OutputStyle {
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
