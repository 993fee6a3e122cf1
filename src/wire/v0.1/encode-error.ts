import { errors } from "../../../generated/v0.1/errors.js";
import type { A2AError } from "../../errors.js";
import { errors as current } from "../../operations.js";
import { withStandIns } from "../../stand-ins.js";
import type { WireError } from "../codec.js";
import { errorDetails } from "../error-details.js";

type Row = { readonly jsonRpcCode: number; readonly message: string };

/** The number of what the draft has no words for: those of its own errors go with fixed texts. */
const UNNAMED = -32000;

/** What the draft has in the place of an error that it does not know; undefined where it has nothing like it. */
const rows = withStandIns<"ErrorCode", Row | undefined>("ErrorCode", {
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

/** An error of the draft: its texts are fixed, so what happened in particular is in the data, which is an object there. */
export function encodeError(error: A2AError): WireError {
  const details = errorDetails(error);
  const row = rows[error.code];
  if (row === undefined) return { code: UNNAMED, message: error.message, data: { details } };
  const isParticular = error.message !== current[error.code].message;
  const data = { ...(isParticular && { message: error.message }), details };
  return { code: row.jsonRpcCode, message: row.message, data };
}
