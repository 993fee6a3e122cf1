import { invalidResponse } from "./client-error.js";

/** Maximum number of consecutive empty pages that name a next one, so that an endless list ends with an error. */
const MAX_EMPTY_PAGES = 1000;

/** One page of a list. A lenient client may receive `entries` that are not a list; the page then counts as empty. */
interface Paged<Entry> {
  readonly entries: readonly Entry[] | undefined;
  /** `""` or absent on the last page, regardless of the number of entries (§3.1.4, §3.1.9). */
  readonly nextPageToken: string | undefined;
}

/**
 * Iterates the entries of a list, page by page.
 *
 * @param read reads the page of a token; `""` is the first page
 * @param from token of the page to begin with
 * @throws ClientError INVALID_RESPONSE when the list does not end: its page tokens repeat, or more than {@link MAX_EMPTY_PAGES} pages in a
 * row are empty; what `read` throws
 */
export async function* entriesOf<Entry>(
  read: (pageToken: string) => Promise<Paged<Entry>>,
  from = "",
): AsyncGenerator<Entry> {
  const tokens = new CycleDetector(from);
  let empty = 0;
  for (let token = from; ; ) {
    const { entries, nextPageToken } = await read(token);
    const list = Array.isArray(entries) ? entries : [];
    yield* list;
    if (!nextPageToken) return;
    empty = list.length > 0 ? 0 : empty + 1;
    if (tokens.isRepeated(nextPageToken))
      throw endless("a new page token", "one that led to an earlier page");
    if (empty > MAX_EMPTY_PAGES)
      throw endless("entries", `more than ${MAX_EMPTY_PAGES} pages in a row without any`);
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
