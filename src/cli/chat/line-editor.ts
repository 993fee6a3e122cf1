import { createInterface, type Interface } from "node:readline";
import { type Readable, Writable } from "node:stream";

/** The streams of an editor. Lines are edited if both are terminals. */
interface EditorStreams {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Where prompts and typed text are shown. */
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

/**
 * Reads lines that a user types, with editing and a history (arrow keys). Text that is typed between two calls of `read` is not shown, so
 * that it does not mix with the output of a turn. The next call shows it.
 */
export class LineEditor {
  readonly #reader: Interface;
  readonly #output: EditorStreams["output"];
  readonly #lines: string[] = [];
  #isShown = false;
  #isClosed = false;
  #waiting: ((line: string | undefined) => void) | undefined;
  /** Called on Ctrl+C, unless Ctrl+C clears a line that is being typed. */
  onInterrupt: () => void = () => undefined;

  constructor({ input, output }: EditorStreams) {
    this.#output = output;
    const screen = new Writable({
      write: (chunk, _, done) => {
        if (this.#isShown) output.write(chunk);
        done();
      },
    });
    Object.defineProperty(screen, "columns", { get: () => output.columns });
    const terminal = input.isTTY === true && output.isTTY === true;
    this.#reader = createInterface({ input, output: screen, terminal, historySize: 500 });
    this.#reader.on("line", (line) => this.#take(line));
    this.#reader.on("close", () => this.#end());
    this.#reader.on("SIGINT", () => this.#interrupt());
  }

  /**
   * Shows a prompt and waits for a line. A line that was typed before is shown with it.
   * @returns undefined at the end of the input
   */
  read(prompt: string): Promise<string | undefined> {
    const early = this.#lines.shift();
    if (early !== undefined || this.#isClosed) {
      this.#output.write(`${prompt}${early ?? ""}\n`);
      return Promise.resolve(early);
    }
    this.#isShown = true;
    this.#reader.setPrompt(prompt);
    this.#reader.prompt(true);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Ends the input: a waiting `read` resolves to undefined. */
  close(): void {
    this.#reader.close();
  }

  #take(line: string): void {
    if (this.#waiting === undefined) this.#lines.push(line);
    else this.#give(line);
  }

  #end(): void {
    this.#isClosed = true;
    if (this.#waiting === undefined) return;
    this.#output.write("\n");
    this.#give(undefined);
  }

  #give(line: string | undefined): void {
    const resolve = this.#waiting;
    this.#waiting = undefined;
    this.#isShown = false;
    resolve?.(line);
  }

  #interrupt(): void {
    const isTyping = this.#waiting !== undefined && this.#reader.line !== "";
    if (isTyping) {
      // Moves to the end of the line, then deletes the text before the cursor.
      this.#reader.write(null, { ctrl: true, name: "e" });
      this.#reader.write(null, { ctrl: true, name: "u" });
    } else this.onInterrupt();
  }
}
