import type { Codec } from "../../../versions/codec.js";
import type { HttpRequest } from "../http.js";
import { A2A_JSON_TYPE, bareType, JSON_TYPE } from "../media-type.js";

/** Settings of the binding. */
export interface HttpJsonOptions {
  /** One media type for every answer, instead of the choice by `Accept`. */
  readonly mediaType?: string;
}

/**
 * Media type of an answer: A2A's own, unless the caller takes plain JSON and names neither the other nor a wildcard. The type
 * changed between two patch releases of the protocol, and clients of both exist (RESTB-03).
 */
export function replyType({ headers }: HttpRequest, codec: Codec, options: HttpJsonOptions): string {
  const mediaType = options.mediaType ?? codec.conventions.mediaType;
  if (mediaType !== undefined) return mediaType;
  const { accept } = headers;
  if (accept === undefined) return A2A_JSON_TYPE;
  const ranges = String(accept).split(",").map(bareType);
  return ranges.includes(JSON_TYPE) && !ranges.some((range) => COVERING.has(range))
    ? JSON_TYPE
    : A2A_JSON_TYPE;
}

const COVERING: ReadonlySet<string> = new Set([A2A_JSON_TYPE, "application/*", "*/*"]);
