import { hasMoreMembers, hasMoreValues } from "../json/json-text.js";
import { tooLarge } from "./client-error.js";

/** Limits on JSON. */
export interface JsonLimits {
  /** Maximum number of values, counted by objects, lists and commas. */
  readonly values: number;
  /** Maximum number of members of all objects together. */
  readonly members: number;
}

/**
 * Refuses JSON with more values or members than the limits: the parsed result can need far more memory than the text, and objects with
 * very many members are slow to read.
 * @throws ClientError RESPONSE_TOO_LARGE
 */
export function checkJsonLimits(text: string, url: URL, { values, members }: JsonLimits): void {
  if (hasMoreValues(text, values)) throw tooLarge(url, "JSON", `${values} values`);
  if (hasMoreMembers(text, members)) throw tooLarge(url, "JSON", `${members} members`);
}
