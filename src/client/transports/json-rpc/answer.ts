import { isJsonObject } from "../../../json/json-text.js";
import { readErrorBody } from "../../../versions/error-body.js";
import type { Incoming } from "../../exchange.js";
import { ErrorAnswer } from "../../remote-error.js";
import { foreignAnswer, jsonOrNothing, noValidAnswer, retryAfterIn } from "../foreign-answer.js";
import type { WireRequest } from "../transport.js";

const EXPECTED = "a JSON-RPC response";
/** The operation that an agent may confirm with any result, or none (§3.1.10). */
const DELETE = "DeleteTaskPushNotificationConfig";

/**
 * The result of a call. A response object with a result or an error is read whatever the HTTP status is. A 2xx response to a deletion may
 * have no body; the result is then null.
 * @throws ErrorAnswer for an error; for a response that is not in the format of the binding, ClientError INVALID_RESPONSE or the
 * ErrorAnswer of {@link foreignAnswer}; ClientError INVALID_RESPONSE for one that belongs to another call
 */
export function readAnswer(incoming: Incoming, request: WireRequest): unknown {
  const { status, headers, text } = incoming;
  const isOk = status >= 200 && status < 300;
  if (isOk && text === "" && request.operation === DELETE) return null;
  const value = jsonOrNothing(text);
  const isResponse = isJsonObject(value) && (value.result !== undefined || isJsonObject(value.error));
  if (value === undefined || (!isOk && !isResponse)) throw foreignAnswer(incoming, request, EXPECTED);
  return resultIn(value, request, { httpStatus: status, ...retryAfterIn(headers) });
}

/**
 * The result in one event. Its data is a response object, which may contain an error, whatever the name of the event (§9.5).
 * @throws ErrorAnswer for an error; ClientError INVALID_RESPONSE for data that is no response object of this call
 */
export function readEvent(data: string, request: WireRequest): unknown {
  const value = jsonOrNothing(data);
  if (value === undefined) throw noValidAnswer(request, EXPECTED, "an unreadable event");
  const isLoose = request.codec.conventions.looseFrames && isJsonObject(value);
  return resultIn(isLoose ? inEnvelope(value, request) : value, request, {});
}

/** Adds what an event lacks of the JSON-RPC envelope, in versions whose agents may omit it. */
function inEnvelope(value: Readonly<Record<string, unknown>>, { id }: WireRequest): unknown {
  if (value.result === undefined && value.error === undefined) return { jsonrpc: "2.0", id, result: value };
  return { jsonrpc: "2.0", id, ...value };
}

/**
 * The result in a response object, which must belong to this call and have either a result or an error (JSON-RPC 2.0). An error of null
 * counts as absent, and so does a result of null beside an error. A response with an error may lack `jsonrpc` and `id`, and the response
 * to a deletion may lack the result, which is then null.
 * @throws ErrorAnswer for an error; ClientError INVALID_RESPONSE
 */
function resultIn(
  value: unknown,
  request: WireRequest,
  facts: { httpStatus?: number; retryAfter?: number },
): unknown {
  if (!isJsonObject(value)) throw noValidAnswer(request, EXPECTED, "JSON of another kind");
  const { jsonrpc, id, result, error = null } = value;
  if (jsonrpc !== "2.0" && error === null) throw noValidAnswer(request, 'jsonrpc "2.0"', "another envelope");
  if (id !== request.id && (error === null || (id ?? null) !== null)) {
    throw noValidAnswer(request, `id ${request.id}`, `id ${JSON.stringify(id)}`);
  }
  const { operation, codec } = request;
  if (error !== null) {
    if ((result ?? null) !== null) throw noValidAnswer(request, "result or error", "both");
    throw new ErrorAnswer({ operation, ...facts, ...readErrorBody(error, codec) });
  }
  if (result === undefined && operation !== DELETE)
    throw noValidAnswer(request, "result or error", "neither");
  return result ?? null;
}
