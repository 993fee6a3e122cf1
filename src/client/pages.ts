import { invalidResponse } from "./client-error.js";

/** Maximum number of consecutive empty pages, so that an endless list ends with an error. */
const MAX_EMPTY_PAGES = 1000;

/** One page of a list. */
interface Paged<Entry> {
  readonly entries: readonly Entry[];
  /** `""` on the last page, regardless of the number of entries (§3.1.4). */
  readonly nextPageToken: string;
}

/**
 * Iterates all entries of a list, page by page.
 *
 * @param read reads the page of a token; `""` is the first page
 * @param from token of the page to begin with
 * @throws ClientError INVALID_RESPONSE when the page tokens repeat, or too many consecutive pages are empty; what `read` throws
 */
export async function* entriesOf<Entry>(
  read: (pageToken: string) => Promise<Paged<Entry>>,
  from = "",
): AsyncGenerator<Entry> {
  const tokens = new CycleDetector(from);
  let empty = 0;
  for (let token = from; ; ) {
    const { entries, nextPageToken } = await read(token);
    yield* entries;
    if (nextPageToken === "") return;
    empty = entries.length === 0 ? empty + 1 : 0;
    if (tokens.isRepeated(nextPageToken))
      throw endless("a new page token", "one that led to an earlier page");
    if (empty > MAX_EMPTY_PAGES)
      throw endless("entries", `more than ${MAX_EMPTY_PAGES} pages in a row without one`);
    token = nextPageToken;
  }
}

/** Detects a cycle of tokens while storing only one of them (Brent's algorithm). The cycle may repeat before it is detected. */
class CycleDetector {
  #remembered: string;
  #steps = 0;
  #power = 1;

  constructor(first: string) {
    this.#remembered = first;
  }

  isRepeated(token: string): boolean {
    if (token === this.#remembered) return true;
    this.#steps += 1;
    if (this.#steps === this.#power) {
      this.#remembered = token;
      this.#power *= 2;
      this.#steps = 0;
    }
    return false;
  }
}

function endless(expected: string, received: string): Error {
  return invalidResponse("The agent's list has no end", { expected, received });
}
