import { isJsonObject } from "../../../wire/json-text.js";
import { recogniseError } from "../../recognise-error.js";
import type { RemoteError } from "../../remote-error.js";
import { numberOf } from "../error-number.js";
import type { WireRequest } from "../transport.js";

/** The error in a JSON-RPC response (§9.5); numbers that nobody knows are kept with text and data (RPC-22). */
export function readError(
  error: unknown,
  { operation, codec }: WireRequest,
  facts: { readonly httpStatus?: number; readonly retryAfter?: number },
): RemoteError {
  const { code, message, data } = isJsonObject(error) ? error : {};
  return recogniseError({
    operation,
    ...facts,
    ...(typeof code === "number" && numberOf(code, message, codec)),
    ...(typeof message === "string" && { message }),
    ...(data !== undefined && { details: data }),
  });
}
