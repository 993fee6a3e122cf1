import { plainText } from "./plain-text.js";

/**
 * Text in the form of the command-line contract: one `Label: value` per line. Longer content is a block: the label, the content and an
 * empty line. All of it is plain text, so that an agent cannot control the terminal.
 */
export class Page {
  /** Whether everything that the agent sent is shown. */
  readonly isVerbose: boolean;
  #text = "";

  constructor(isVerbose: boolean) {
    this.isVerbose = isVerbose;
  }

  get text(): string {
    return this.#text;
  }

  /** Writes a field on one line, unless the value is undefined or empty. */
  field(label: string, value: string | number | boolean | undefined): void {
    if (value === undefined || value === "") return;
    const line = plainText(String(value)).replace(/\s+/g, " ");
    this.#text += `${label}: ${line}\n`;
  }

  /** Writes a block of text. */
  block(label: string, content: string): void {
    const body = plainText(content).replace(/\n+$/, "");
    this.#text += `${label}:\n${body}\n\n`;
  }

  /** Writes a block with a JSON value. */
  json(label: string, value: unknown): void {
    this.block(label, JSON.stringify(value, undefined, 2));
  }
}
