/** Control characters, but for the two that belong into a text. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/**
 * Text in the form of the command-line contract: one `Label: value` per line; what takes more lines is a block, that is its
 * label, the content, and an empty line. An agent's text cannot reach the terminal's controls.
 */
export class Page {
  /** Whether everything is to be shown. */
  readonly isVerbose: boolean;
  #text = "";

  constructor(isVerbose: boolean) {
    this.isVerbose = isVerbose;
  }

  get text(): string {
    return this.#text;
  }

  /** A field; nothing when there is no value. */
  field(label: string, value: string | number | boolean | undefined): void {
    if (value === undefined || value === "") return;
    const line = String(value).replace(/\s+/g, " ").replace(CONTROL, "");
    this.#text += `${label}: ${line}\n`;
  }

  /** A block of text. */
  block(label: string, content: string): void {
    const body = content.replace(/\r\n/g, "\n").replace(CONTROL, "").replace(/\n+$/, "");
    this.#text += `${label}:\n${body}\n\n`;
  }

  /** A block with a JSON value. */
  json(label: string, value: unknown): void {
    this.block(label, JSON.stringify(value, undefined, 2));
  }
}
