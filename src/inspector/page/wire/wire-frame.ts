/** One frame of an event stream (Server-Sent Events), as it came. */
export interface WireFrame {
  /** Position in its stream, from 0. */
  readonly index: number;
  /** Milliseconds since the request was sent. */
  readonly at: number;
  /** The characters of the frame, without the blank line that ends it. */
  readonly raw: string;
  /** Whether its end was left out, because it is longer than the splitter keeps. */
  readonly isCut: boolean;
  readonly id: string | undefined;
  readonly event: string | undefined;
  /** Lines of `data:`, joined; undefined for a comment, which most servers send as a heartbeat. */
  readonly data: string | undefined;
}

/** Characters of a frame that are kept. */
export const MAX_FRAME = 8 * 1024 * 1024;

const blankLine = /\r\n\r\n|\n\n|\r\r/;
/** Characters of a blank line that the chunk before may end with. */
const OVERLAP = 3;

/** Splits the text of an event stream into frames while it arrives. A frame that does not end cannot fill the memory: only its beginning is kept. */
export class FrameSplitter {
  readonly #limit: number;
  /** Chunks of the beginning of the frame that is not complete. They are joined once: a frame can have many megabytes. */
  #kept: string[] = [];
  /** Characters of that frame so far, kept or not. */
  #length = 0;
  /** Its last characters, with which a blank line may begin. */
  #tail = "";
  #count = 0;

  /** @param limit characters of a frame that are kept */
  constructor(limit = MAX_FRAME) {
    this.#limit = limit;
  }

  /** Adds text; returns the frames that it completes. */
  push(text: string, at: number): WireFrame[] {
    const from = this.#length - this.#tail.length;
    const [first = "", ...others] = (this.#tail + text).split(blankLine);
    const rest = others.pop();
    if (rest === undefined) {
      this.#add(text);
      return [];
    }
    const whole = this.#kept.join("").slice(0, from) + first;
    const ended = [
      this.#frame(whole, from + first.length, at),
      ...others.map((raw) => this.#frame(raw, raw.length, at)),
    ];
    this.#begin();
    this.#add(rest);
    return ended.filter((frame) => frame !== undefined);
  }

  /** The frame that the end of the stream left incomplete, if any. Clients ignore it. */
  end(at: number): WireFrame | undefined {
    const raw = this.#kept.join("");
    const length = this.#length;
    this.#begin();
    return raw.trim() === "" ? undefined : this.#frame(raw, length, at);
  }

  #begin(): void {
    this.#kept = [];
    this.#length = 0;
    this.#tail = "";
  }

  #add(text: string): void {
    if (this.#length < this.#limit) this.#kept.push(text.slice(0, this.#limit - this.#length));
    this.#length += text.length;
    this.#tail = (this.#tail + text).slice(-OVERLAP);
  }

  /** A frame of so many characters, of which `whole` has at least those that are kept. */
  #frame(whole: string, length: number, at: number): WireFrame | undefined {
    if (length === 0) return undefined;
    const raw = whole.slice(0, this.#limit);
    const lines = raw.split(/\r\n|\n|\r/);
    const of = (name: string): string[] =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
    const data = of("data");
    return {
      index: this.#count++,
      at,
      raw,
      isCut: length > this.#limit,
      id: of("id").at(-1),
      event: of("event").at(-1),
      data: data.length === 0 ? undefined : data.join("\n"),
    };
  }
}
