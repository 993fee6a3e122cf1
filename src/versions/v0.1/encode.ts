import { errors } from "../../../generated/v0.1/errors.js";
import type { A2AError } from "../../protocol/errors.js";
import { errors as modelErrors } from "../../protocol/errors.js";
import { withFallbacks } from "../../protocol/fallbacks.js";
import { type ErrorBody, errorDetails } from "../codec.js";
import type { Shape } from "./encoder.js";
import { webhook } from "./push.js";
import { statusUpdate, task, writeArtifactUpdate } from "./tasks.js";

type Row = { readonly jsonRpcCode: number; readonly message: string };

/** JSON-RPC code of errors without an equivalent in 0.1. */
const OTHER_ERROR = -32000;

/** Errors of 0.1 by code of the model; undefined for a code that is written as {@link OTHER_ERROR}. */
const rows = withFallbacks<"ErrorCode", Row | undefined>("ErrorCode", {
  ...errors,
  INVALID_AGENT_RESPONSE: errors.INTERNAL_ERROR,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: errors.UNSUPPORTED_OPERATION,
  EXTENSION_SUPPORT_REQUIRED: errors.INVALID_REQUEST,
  VERSION_NOT_SUPPORTED: errors.INVALID_REQUEST,
  UNAUTHENTICATED: undefined,
  PERMISSION_DENIED: undefined,
  REQUEST_TOO_LARGE: errors.INVALID_REQUEST,
  RATE_LIMITED: undefined,
  UNAVAILABLE: undefined,
  DEADLINE_EXCEEDED: undefined,
});

/** Encodes an error. 0.1 fixes the messages of its errors, so a more specific message is in `data`, which must be an object. */
export function encodeError(error: A2AError): ErrorBody {
  const details = errorDetails(error);
  const row = rows[error.code];
  if (row === undefined) return { code: OTHER_ERROR, message: error.message, data: { details } };
  const isSpecific = error.message !== modelErrors[error.code].message;
  const data = { ...(isSpecific && { message: error.message }), details };
  return { code: row.jsonRpcCode, message: row.message, data };
}

/** The shapes of the first draft. Members without an equivalent are omitted. */
export const shape: Shape = {
  task: (given, hasHistory) => {
    const written = task.write(given);
    return hasHistory ? { ...written, history: written.history ?? [] } : written;
  },
  statusEvent: (event, final) => ({ ...statusUpdate.write(event), final }),
  artifactEvent: writeArtifactUpdate,
  webhook: (taskId, config) => ({
    id: taskId,
    pushNotificationConfig: config ? webhook.write(config) : null,
  }),
  notification: (event, current) => {
    if (current === undefined) return undefined;
    const eventType = event.artifactUpdate === undefined ? "status" : "artifact";
    const { timestamp } = current.status;
    return { ...task.write(current), taskId: current.id, eventType, ...(timestamp && { timestamp }) };
  },
};
