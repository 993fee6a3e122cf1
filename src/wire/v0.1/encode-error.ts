import { type ErrorCode as DraftCode, errors } from "../../../generated/v0.1/errors.js";
import type { A2AError } from "../../errors.js";
import { errors as current } from "../../operations.js";
import { withStandIns } from "../../stand-ins.js";
import type { WireError } from "../codec.js";
import { errorDetails } from "../error-details.js";

/** What the draft has in the place of an error that it does not know; undefined where the number of the model will do. */
const drafted = withStandIns<"ErrorCode", DraftCode | undefined>("ErrorCode", {
  TASK_NOT_FOUND: "TASK_NOT_FOUND",
  TASK_NOT_CANCELABLE: "TASK_NOT_CANCELABLE",
  PUSH_NOTIFICATION_NOT_SUPPORTED: "PUSH_NOTIFICATION_NOT_SUPPORTED",
  UNSUPPORTED_OPERATION: "UNSUPPORTED_OPERATION",
  CONTENT_TYPE_NOT_SUPPORTED: "CONTENT_TYPE_NOT_SUPPORTED",
  INVALID_AGENT_RESPONSE: "INTERNAL_ERROR",
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: "UNSUPPORTED_OPERATION",
  EXTENSION_SUPPORT_REQUIRED: "INVALID_REQUEST",
  VERSION_NOT_SUPPORTED: "INVALID_REQUEST",
  PARSE_ERROR: "PARSE_ERROR",
  INVALID_REQUEST: "INVALID_REQUEST",
  METHOD_NOT_FOUND: "METHOD_NOT_FOUND",
  INVALID_PARAMS: "INVALID_PARAMS",
  INTERNAL_ERROR: "INTERNAL_ERROR",
  UNAUTHENTICATED: undefined,
  PERMISSION_DENIED: undefined,
  REQUEST_TOO_LARGE: undefined,
  RATE_LIMITED: undefined,
  UNAVAILABLE: undefined,
  DEADLINE_EXCEEDED: undefined,
});

/** An error of the draft: its texts are fixed, so what happened in particular is in the data, which is an object there. */
export function encodeError(error: A2AError): WireError {
  const details = errorDetails(error);
  const code = drafted[error.code];
  if (code === undefined) return { code: error.jsonRpcCode, message: error.message, data: { details } };
  const { jsonRpcCode, message } = errors[code];
  const isParticular = error.message !== current[error.code].message;
  return { code: jsonRpcCode, message, data: { ...(isParticular && { message: error.message }), details } };
}
