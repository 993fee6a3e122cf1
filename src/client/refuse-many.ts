import { hasMoreValues } from "../json/json-text.js";
import { tooLarge } from "./client-error.js";

/**
 * Refuses JSON with more values than the limit, because the parsed result can need far more memory than the text.
 * @param limit values, counted by objects, lists and commas
 * @throws ClientError RESPONSE_TOO_LARGE
 */
export function refuseTooManyValues(text: string, url: URL, limit: number): void {
  if (hasMoreValues(text, limit)) throw tooLarge(url, "JSON", `${limit} values`);
}
