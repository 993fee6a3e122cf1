import { isJsonObject } from "../../../wire/json-text.js";
import { invalidResponse, shown } from "../../client-error.js";
import type { Incoming } from "../../exchange.js";
import { foreignAnswer, jsonOrNothing } from "../foreign-answer.js";
import type { WireRequest } from "../transport.js";
import { readError, readEventError } from "./error.js";

const EXPECTED = "a JSON object";

/** The result of a call: every 2xx is a success, and an empty one is an empty answer (RESTB-08). */
export function readAnswer(incoming: Incoming, request: WireRequest): unknown {
  const { status, text } = incoming;
  const value = jsonOrNothing(text);
  if (status < 200 || status > 299) throw readError(incoming, value, request);
  if (text === "" && request.operation === "DeleteTaskPushNotificationConfig") return null;
  if (value === undefined) throw foreignAnswer(incoming, request, EXPECTED);
  return value;
}

/** The result in one event: an `error` member is an error, whatever the event's name (RESTS-04). */
export function readEvent(data: string, request: WireRequest): unknown {
  const value = jsonOrNothing(data);
  if (value === undefined) {
    const what = `${shown(request.url)} gave no valid answer to ${request.operation}`;
    throw invalidResponse(what, { expected: EXPECTED, received: "an event that is not JSON" });
  }
  if (isJsonObject(value) && isJsonObject(value.error)) throw readEventError(value.error, request);
  if (isJsonObject(value) && typeof value.code === "number") throw readEventError(value, request);
  return value;
}
