/** One event of an event stream. */
export interface Frame {
  readonly data: string;
  /** Id of the event, with which a reader can resume after it. */
  readonly id: string | undefined;
}

/** Thrown for a line or an event of an event stream that is longer than its reader allows. */
export class FrameTooLong extends Error {}

/** The beginning of a line of data. It does not count, so that the limit is the same whether a line arrives whole or in pieces. */
const FIELD = "data: ";

/**
 * Parses an event stream, by the standard for server-sent events, from pieces of its text. Fields other than `data` and `id` are ignored,
 * and an id applies to its own event only, not to later ones as in browsers.
 */
export class EventStreamParser {
  /** The beginning of a line whose end has not arrived. */
  #line = "";
  /** The data of the current event; undefined while it has none. */
  #data: string | undefined;
  #id: string | undefined;
  /** Whether the last piece ended with a carriage return, to which a line feed may belong. */
  #isAfterReturn = false;
  readonly #limit: number;

  /** @param limit maximum length of a line and of an event, in characters */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /**
   * Takes the next piece.
   * @returns the events that end in it
   * @throws FrameTooLong
   */
  feed(piece: string): Frame[] {
    const frames: Frame[] = [];
    let at = this.#isAfterReturn && piece.startsWith("\n") ? 1 : 0;
    if (piece !== "") this.#isAfterReturn = false;
    let lineFeed = piece.indexOf("\n", at);
    let carriageReturn = piece.indexOf("\r", at);
    while (lineFeed !== -1 || carriageReturn !== -1) {
      const isReturn = carriageReturn !== -1 && (lineFeed === -1 || carriageReturn < lineFeed);
      const end = isReturn ? carriageReturn : lineFeed;
      this.#take(this.#line + piece.slice(at, end), frames);
      this.#line = "";
      at = end + (isReturn && piece[end + 1] === "\n" ? 2 : 1);
      this.#isAfterReturn = isReturn && at === piece.length && end + 1 === at;
      if (lineFeed !== -1 && lineFeed < at) lineFeed = piece.indexOf("\n", at);
      if (carriageReturn !== -1 && carriageReturn < at) carriageReturn = piece.indexOf("\r", at);
    }
    this.#line += piece.slice(at);
    this.#check(this.#line, FIELD.length);
    return frames;
  }

  #take(line: string, frames: Frame[]): void {
    this.#check(line, FIELD.length);
    if (line === "") {
      if (this.#data !== undefined) frames.push({ data: this.#data, id: this.#id });
      this.#data = undefined;
      this.#id = undefined;
      return;
    }
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    if (name !== "data" && name !== "id") return;
    const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (name === "data") {
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      this.#check(this.#data);
    } else if (!value.includes("\0")) this.#id = value;
  }

  #check(text: string, further = 0): void {
    if (text.length > this.#limit + further) throw new FrameTooLong();
  }
}
