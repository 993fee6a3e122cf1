import { isJsonObject } from "../../../json/json-text.js";
import { jsonRpcErrorOf } from "../../../versions/error-body.js";
import type { ReceivedError } from "../../../versions/received-error.js";
import type { Incoming } from "../../exchange.js";
import { ErrorAnswer } from "../../remote-error.js";
import { foreignAnswer, jsonOrNothing, noValidAnswer, retryAfterIn } from "../foreign-answer.js";
import type { WireRequest } from "../transport.js";

/**
 * The error in a response without a 2xx status. Agents use different formats: an `error` object, a problem document, or the members of
 * an error alone (§11.6). For an empty body the status decides; for other content see {@link foreignAnswer}.
 * @param value the body as JSON; undefined when it is not JSON
 */
function readError(incoming: Incoming, value: unknown, request: WireRequest): Error {
  const { status, headers, text } = incoming;
  const facts = { operation: request.operation, httpStatus: status, ...retryAfterIn(headers) };
  if (isJsonObject(value)) {
    return new ErrorAnswer({ ...facts, ...contentOf(value, request) });
  }
  return text === ""
    ? new ErrorAnswer(facts)
    : foreignAnswer(incoming, request, "a JSON object with an error");
}

/** The error in an event of a stream. A positive `code` is an HTTP status. */
function readEventError(error: Readonly<Record<string, unknown>>, request: WireRequest): ErrorAnswer {
  const { code } = error;
  return new ErrorAnswer({
    operation: request.operation,
    ...contentOf({ error }, request),
    ...(typeof code === "number" && code > 0 && { httpStatus: code }),
  });
}

type Content = Partial<Pick<ReceivedError, "message" | "details" | "problem" | "jsonRpcCode" | "code">>;

function contentOf(value: Readonly<Record<string, unknown>>, { codec }: WireRequest): Content {
  const error = isJsonObject(value.error) ? value.error : value;
  const message = [error.message, error.detail, error.title].find((text) => typeof text === "string");
  return {
    ...(typeof message === "string" && { message }),
    // In older versions `code` may be that of JSON-RPC.
    ...(typeof error.code === "number" && error.code < 0 && jsonRpcErrorOf(error.code, message, codec)),
    ...((error.details ?? error.data) !== undefined && { details: error.details ?? error.data }),
    ...(typeof error.type === "string" && { problem: error.type }),
  };
}

const EXPECTED = "a JSON object";

/**
 * The result of a call. Every 2xx status is a success. Only the response to a deletion may have an empty body; the result is then null
 * (§11.4).
 * @throws ErrorAnswer for an error; for a response that cannot be read, the error of {@link foreignAnswer}
 */
export function readAnswer(incoming: Incoming, request: WireRequest): unknown {
  const { status, text } = incoming;
  const value = jsonOrNothing(text);
  if (status < 200 || status > 299) throw readError(incoming, value, request);
  if (text === "" && request.operation === "DeleteTaskPushNotificationConfig") return null;
  if (value === undefined) throw foreignAnswer(incoming, request, EXPECTED);
  return value;
}

/**
 * The result in one event. Data with an `error` object or a numeric `code` is an error, whatever the name of the event (§11.6).
 * @throws ErrorAnswer for an error; ClientError INVALID_RESPONSE for data that {@link jsonOrNothing} cannot parse
 */
export function readEvent(data: string, request: WireRequest): unknown {
  const value = jsonOrNothing(data);
  if (value === undefined) throw noValidAnswer(request, EXPECTED, "an unreadable event");
  if (isJsonObject(value) && isJsonObject(value.error)) throw readEventError(value.error, request);
  if (isJsonObject(value) && typeof value.code === "number") throw readEventError(value, request);
  return value;
}
