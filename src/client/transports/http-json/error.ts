import { isJsonObject } from "../../../wire/json-text.js";
import type { Incoming } from "../../exchange.js";
import { recogniseError } from "../../recognise-error.js";
import type { RemoteError } from "../../remote-error.js";
import { foreignAnswer, retryAfterIn } from "../foreign-answer.js";
import type { WireRequest } from "../transport.js";

/**
 * The error in an answer that is none of the 2xx. Peers write it in different forms: an `error` object, a problem document, or
 * bare members; with none of them, the status has to do (RESTB-09).
 * @param value the body as JSON; undefined when it is none
 */
export function readError(incoming: Incoming, value: unknown, request: WireRequest): Error {
  const { status, headers, text } = incoming;
  const facts = { operation: request.operation, httpStatus: status, ...retryAfterIn(headers) };
  if (isJsonObject(value)) return recogniseError({ ...facts, ...contentOf(value) });
  return text === ""
    ? recogniseError(facts)
    : foreignAnswer(incoming, request, "a JSON object with an error");
}

/** The error in an event of a stream. Its `code` is the HTTP status that it would have had. */
export function readEventError(
  error: Readonly<Record<string, unknown>>,
  { operation }: WireRequest,
): RemoteError {
  const { code } = error;
  return recogniseError({
    operation,
    ...contentOf({ error }),
    ...(typeof code === "number" && { httpStatus: code }),
  });
}

function contentOf(value: Readonly<Record<string, unknown>>): {
  message?: string;
  details?: unknown;
  problem?: string;
} {
  const error = isJsonObject(value.error) ? value.error : value;
  const words = [error.message, error.detail, error.title].find((text) => typeof text === "string");
  return {
    ...(typeof words === "string" && { message: words }),
    ...(error.details !== undefined && { details: error.details }),
    ...(typeof error.type === "string" && { problem: error.type }),
  };
}
