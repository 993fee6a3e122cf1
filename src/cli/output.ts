import type { LineEditor } from "./chat/line-editor.js";
import { type Failure, usage } from "./failure.js";
import { Page } from "./text/page.js";
import type { Values } from "./values.js";

/** Everything outside the command that it uses, so that a command can run in a test. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  readonly folder: string;
  /** Home folder of the user, which contains the global configuration. */
  readonly home: string;
  /** Writes a payload, which scripts read. */
  out(text: string): void;
  /** Writes a diagnostic. */
  err(text: string): void;
  /** Whether diagnostics go to a terminal. */
  readonly isTerminal: boolean;
  /** Reads standard input to its end. */
  readInput(): Promise<string>;
  /** Lines of standard input as they arrive, until its end or until the signal aborts. */
  readLines(signal: AbortSignal): AsyncIterable<string>;
  /** Whether standard input is a terminal. */
  readonly isInputTerminal: boolean;
  /** Whether payloads go to a terminal. */
  readonly isOutputTerminal: boolean;
  /** Opens an editor of the lines that a person types. */
  edit(): LineEditor;
  /**
   * Shows a page in the browser of this machine.
   * @returns false where there is none
   */
  open(page: URL): boolean;
  /**
   * Looks up the address of a host.
   * @throws Error of Node, with the code ENOTFOUND for a host that does not exist
   */
  lookup(host: string): Promise<unknown>;
  /** Folder with the built page of the inspector; that of the package if absent. */
  readonly inspectorPage?: string | undefined;
  /** Aborts the command on Ctrl+C. */
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Accepts the certificate of any server from now on. */
  trustAnyCertificate(): void;
}

/** How a command prints. */
interface OutputStyle {
  readonly isJson: boolean;
  /** Whether values are printed as they arrive, one per line. */
  readonly isStream: boolean;
  readonly isVerbose: boolean;
}

/**
 * The output style of the options.
 * @throws Failure for an unknown format
 */
export function styleIn(values: Values): OutputStyle {
  const format = values.text("output");
  if (format !== "json" && format !== "text") throw usage(`--output takes text or json, not "${format}"`);
  return { isJson: format === "json", isStream: values.isOn("stream"), isVerbose: values.isOn("verbose") };
}

/** The output of a command: fields for people, or objects of the protocol for programs. */
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
   * Prints a value: as JSON, or as the page that `write` writes.
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

  /** Prints text unchanged. */
  raw(text: string): void {
    this.#io.out(text);
  }

  /** Prints a failure as JSON; text output has it on stderr only. */
  failure(failure: Failure, clean: (text: string) => string): void {
    if (!this.isJson) return;
    const { code, hint, a2aCode } = failure;
    const error = { code, message: clean(failure.message), hint: hint ?? null, a2aCode: a2aCode ?? null };
    this.#io.out(`${JSON.stringify({ error }, undefined, this.isStream ? 0 : 2)}\n`);
  }
}
