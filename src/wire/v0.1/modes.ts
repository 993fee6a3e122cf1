/** Stands for files of any type. */
export const ANY_FILE = "*/*";

/** Words that stood for media types. */
const mediaTypes: ReadonlyMap<unknown, string> = new Map([
  ["text", "text/plain"],
  ["file", ANY_FILE],
  ["data", "application/json"],
]);

/** A media type, by the word for it or as it is. */
export function readMode(word: unknown): unknown {
  return mediaTypes.get(word) ?? word;
}
