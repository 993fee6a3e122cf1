import { type JsonBounds, readJson } from "../../json/read-json.js";
import type { HostRequest } from "../host.js";

/**
 * Parses the body of a request and drops its text. The request stays in memory as long as its stream or its executor, and the text, which
 * may have megabytes, is no longer needed.
 *
 * @throws A2AError PARSE_ERROR, INVALID_REQUEST
 */
export function parseBody(request: HostRequest, bounds?: JsonBounds): unknown {
  const text = request.body ?? "";
  request.body = undefined;
  request.bodyLength = text.length;
  return readJson(text, bounds);
}
