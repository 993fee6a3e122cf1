import { parseJson } from "../../json/json-text.js";
import type { ErrorCode } from "../../protocol/errors.js";
import { displayUrl, invalidResponse } from "../client-error.js";
import { describe, type Incoming } from "../exchange.js";
import { ErrorAnswer } from "../remote-error.js";
import type { WireRequest } from "./transport.js";

/** What a status means when a proxy or server responds in place of the agent, in another format (§3.3.2). */
const refusals: Readonly<Record<number, ErrorCode>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  413: "REQUEST_TOO_LARGE",
  429: "RATE_LIMITED",
  // A gateway whose upstream is down sends 502. In the A2A errors of older versions, 502 has another meaning (§5.4).
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Parses JSON; undefined for text that {@link parseJson} refuses. */
export function jsonOrNothing(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The error for a response that is not in the format of its binding: an {@link ErrorAnswer} for a status in {@link refusals}, otherwise
 * ClientError INVALID_RESPONSE.
 * @param expected description of the format, for the error
 */
export function foreignAnswer(incoming: Incoming, request: WireRequest, expected: string): Error {
  const { status: httpStatus, headers, url } = incoming;
  const { operation } = request;
  const received = describe(incoming);
  const code = refusals[httpStatus];
  if (code !== undefined)
    return new ErrorAnswer({ operation, httpStatus, received, code, ...retryAfterIn(headers) });
  const what = `${displayUrl(url)} did not answer ${operation} with A2A`;
  return invalidResponse(what, { expected, received, httpStatus });
}

/** ClientError INVALID_RESPONSE for a response or event that is not a valid answer to this call. */
export function noValidAnswer({ url, operation }: WireRequest, expected: string, received: string): Error {
  return invalidResponse(`${displayUrl(url)} sent no valid response to ${operation}`, { expected, received });
}

/**
 * The seconds in a `Retry-After` header, or those until its date, 0 if that has passed. Dates are read by `Date.parse`. An empty object when
 * the header is absent or cannot be read.
 */
export function retryAfterIn(headers: Headers): { retryAfter?: number } {
  const text = headers.get("retry-after") ?? "";
  const retryAfter = /^\d+(\.\d*)?$/.test(text)
    ? Number(text)
    : Math.max(0, (Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(retryAfter) ? {} : { retryAfter };
}
