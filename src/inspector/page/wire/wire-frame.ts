/** One frame of an event stream (Server-Sent Events), as it came. */
export interface WireFrame {
  /** Position in its stream, from 0. */
  readonly index: number;
  /** Milliseconds since the request was sent. */
  readonly at: number;
  /** The characters of the frame, without the blank line that ends it. */
  readonly raw: string;
  readonly id: string | undefined;
  readonly event: string | undefined;
  /** Lines of `data:`, joined; undefined for a comment, which most servers send as a heartbeat. */
  readonly data: string | undefined;
}

const blankLine = /\r\n\r\n|\n\n|\r\r/;
/** Characters of a blank line that the chunk before may end with. */
const OVERLAP = 3;

/** Splits the text of an event stream into frames while it arrives. */
export class FrameSplitter {
  /** Chunks of the frame that is not complete. They are joined once: a frame can have many megabytes. */
  #rest: string[] = [];
  #count = 0;

  /** Adds text; returns the frames that it completes. */
  push(text: string, at: number): WireFrame[] {
    const isComplete = blankLine.test(this.#end() + text);
    this.#rest.push(text);
    if (!isComplete) return [];
    const pieces = this.#rest.join("").split(blankLine);
    this.#rest = [pieces.pop() ?? ""];
    return pieces.filter((raw) => raw !== "").map((raw) => this.#frame(raw, at));
  }

  /** The frame that the end of the stream left incomplete, if any. Clients ignore it. */
  end(at: number): WireFrame | undefined {
    const raw = this.#rest.join("");
    this.#rest = [];
    return raw.trim() === "" ? undefined : this.#frame(raw, at);
  }

  /** The last characters that were added. */
  #end(): string {
    let text = "";
    for (let at = this.#rest.length - 1; at >= 0 && text.length < OVERLAP; at -= 1)
      text = (this.#rest[at] ?? "") + text;
    return text.slice(-OVERLAP);
  }

  #frame(raw: string, at: number): WireFrame {
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
      id: of("id").at(-1),
      event: of("event").at(-1),
      data: data.length === 0 ? undefined : data.join("\n"),
    };
  }
}
