import type { IncomingHttpHeaders } from "node:http";

/** What a server says about a version of a document. */
export interface Validators {
  readonly etag: string;
  readonly modified: Date;
}

/**
 * Whether the copy that a conditional GET speaks of is still good (RFC 9110 §13.2.2): `If-None-Match` decides alone where it
 * is given, and tags are compared weakly. `Cache-Control: no-cache` of a request asks caches on the way not to answer by
 * themselves; the server that owns the document has nothing to change for it, and Node's `fetch` sends it with every condition.
 */
export function isCopyGood(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined)
    return tags.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
  const since = Date.parse(headers["if-modified-since"] ?? "");
  // The header has whole seconds.
  return since >= Math.floor(modified.getTime() / 1000) * 1000;
}
