/** Control characters except tab and line feed. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/**
 * Text in the form of the command-line contract: one `Label: value` per line. Longer content is a block: the label, the content and an
 * empty line. Control characters of an agent's text are removed, so that it cannot control the terminal.
 */
export class Page {
  /** Whether everything is shown. */
  readonly isVerbose: boolean;
  #text = "";

  constructor(isVerbose: boolean) {
    this.isVerbose = isVerbose;
  }

  get text(): string {
    return this.#text;
  }

  /** Writes a field, unless the value is undefined. */
  field(label: string, value: string | number | boolean | undefined): void {
    if (value === undefined || value === "") return;
    const line = String(value).replace(/\s+/g, " ").replace(CONTROL, "");
    this.#text += `${label}: ${line}\n`;
  }

  /** Writes a block of text. */
  block(label: string, content: string): void {
    const body = content.replace(/\r\n/g, "\n").replace(CONTROL, "").replace(/\n+$/, "");
    this.#text += `${label}:\n${body}\n\n`;
  }

  /** Writes a block with a JSON value. */
  json(label: string, value: unknown): void {
    this.block(label, JSON.stringify(value, undefined, 2));
  }
}
