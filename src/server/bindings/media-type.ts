import type { Codec } from "../../versions/codec.js";
import type { HostRequest } from "../host.js";

/** Media type of JSON. */
export const JSON_TYPE = "application/json";

/** Media type of A2A's own JSON (§11.1). */
export const A2A_JSON_TYPE = "application/a2a+json";

/** Whether a body with this `Content-Type` is read as JSON. A body without the header is. */
export function isJson(contentType: string | readonly string[] | undefined): boolean {
  if (contentType === undefined || contentType === JSON_TYPE || contentType === A2A_JSON_TYPE) return true;
  const type = bareType(String(contentType));
  return type === "" || type === JSON_TYPE || type === A2A_JSON_TYPE;
}

/** Type and subtype in lower case, without parameters. */
function bareType(text: string): string {
  const end = text.indexOf(";");
  return (end === -1 ? text : text.slice(0, end)).trim().toLowerCase();
}

/**
 * The media type of a response: that of the version if it has only one; otherwise that of A2A, unless the caller accepts plain JSON and
 * names neither A2A's type nor a wildcard. The type changed between two patch releases of the protocol, and clients of both exist (§11.1).
 *
 * @param fixed the media type of every response, regardless of `Accept`
 */
export function replyType({ headers }: Pick<HostRequest, "headers">, codec: Codec, fixed?: string): string {
  const mediaType = fixed ?? codec.conventions.mediaType;
  if (mediaType !== undefined) return mediaType;
  const { accept } = headers;
  if (accept === undefined) return A2A_JSON_TYPE;
  if (accept !== lastChoice.accept) lastChoice = { accept, type: typeFor(String(accept)) };
  return lastChoice.type;
}

/** The last choice. It is cached because most callers send the same header. */
let lastChoice: { readonly accept: unknown; readonly type: string } = { accept: "", type: A2A_JSON_TYPE };

function typeFor(accept: string): string {
  const ranges = accept.split(",").map(bareType);
  return ranges.includes(JSON_TYPE) && !ranges.some((range) => COVERING.has(range))
    ? JSON_TYPE
    : A2A_JSON_TYPE;
}

const COVERING: ReadonlySet<string> = new Set([A2A_JSON_TYPE, "application/*", "*/*"]);

/**
 * Whether the caller prefers HTML to JSON, as browsers do: it names HTML, with a higher weight than the JSON types and `application/*`, and
 * with no lower one than the wildcard for all types (RFC 9110 §12.5.1).
 */
export function prefersHtml({ headers }: Pick<HostRequest, "headers">): boolean {
  const { accept } = headers;
  if (accept === undefined) return false;
  const weights = new Map(String(accept).split(",").map(weighted));
  const html = weights.get(HTML_TYPE) ?? 0;
  const json = Math.max(...[JSON_TYPE, A2A_JSON_TYPE, "application/*"].map((type) => weights.get(type) ?? 0));
  return html > json && html >= (weights.get("*/*") ?? 0);
}

const HTML_TYPE = "text/html";

function weighted(range: string): [type: string, weight: number] {
  const [, weight = "1"] = /;\s*q\s*=\s*([\d.]+)/i.exec(range) ?? [];
  return [bareType(range), Number(weight)];
}
