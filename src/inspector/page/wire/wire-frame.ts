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

/** Splits the text of an event stream into frames while it arrives. */
export class FrameSplitter {
  #rest = "";
  #count = 0;

  /** Adds text; returns the frames that it completes. */
  push(text: string, at: number): WireFrame[] {
    const pieces = (this.#rest + text).split(/\r\n\r\n|\n\n|\r\r/);
    this.#rest = pieces.pop() ?? "";
    return pieces.filter((raw) => raw !== "").map((raw) => this.#frame(raw, at));
  }

  /** The frame that the end of the stream left incomplete, if any. Clients ignore it. */
  end(at: number): WireFrame | undefined {
    const raw = this.#rest;
    this.#rest = "";
    return raw.trim() === "" ? undefined : this.#frame(raw, at);
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
