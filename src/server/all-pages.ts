import { valueSize } from "../json/value-size.js";
import { clientError } from "../protocol/errors.js";
import { protocolVersion } from "../protocol/operations.js";

/** Requests the page of a list with a token. */
export type AskForPage = (pageToken: string) => unknown;

/**
 * The response for a version whose lists have no pages: appends the elements of all further pages to the first page. A response that is
 * not a list is returned unchanged.
 *
 * @param maxBytes maximum approximate size in memory of a list that has several pages; unlimited by default
 * @throws A2AError UNSUPPORTED_OPERATION as soon as the list is larger; the errors of `ask`
 */
export async function withAllPages<Response extends object | null>(
  first: Response,
  maxBytes = Number.POSITIVE_INFINITY,
  ask: AskForPage,
): Promise<Response> {
  if (first === null || !hasToken(first) || !first.nextPageToken) return first;
  const lists = listsIn(first);
  const checkBytes = (bytes: number) => {
    if (bytes > maxBytes) throw tooLong(maxBytes);
    return bytes;
  };
  let bytes = checkBytes(valueSize(lists));
  for (let token = first.nextPageToken; token; ) {
    const page = (await ask(token)) as { readonly nextPageToken?: string };
    const more = listsIn(page);
    bytes = checkBytes(bytes + valueSize(more));
    for (const [name, elements] of Object.entries(more)) lists[name]?.push(...elements);
    token = page.nextPageToken ?? "";
  }
  return { ...first, ...lists, nextPageToken: "" };
}

function tooLong(maxBytes: number): Error {
  const problem = `The list has more than ${maxBytes} bytes, and lists of this protocol version have no pages`;
  const instead = `read it page by page with version ${protocolVersion}, or ask for a single task, or for a context or state where you can`;
  return clientError("UNSUPPORTED_OPERATION", `${problem}: ${instead}`);
}

function hasToken(response: object): response is { readonly nextPageToken?: string } {
  return "nextPageToken" in response;
}

function listsIn(response: object): Record<string, unknown[]> {
  const entries = Object.entries(response);
  return Object.fromEntries(
    entries.flatMap(([name, member]) => (Array.isArray(member) ? [[name, [...member]]] : [])),
  );
}
