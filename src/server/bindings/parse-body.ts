import { type JsonBounds, readJson } from "../../json/read-json.js";
import type { HostRequest } from "../host.js";

/**
 * Parses the body of a request and drops its text. A request lives as long as the stream or the executor that it has started,
 * and its text may be megabytes of which nothing is needed any more.
 *
 * @throws A2AError PARSE_ERROR, INVALID_REQUEST
 */
export function parseBody(request: HostRequest, bounds?: JsonBounds): unknown {
  const text = request.body ?? "";
  request.body = undefined;
  request.bodyLength = text.length;
  return readJson(text, bounds);
}
