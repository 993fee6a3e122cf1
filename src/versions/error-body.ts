import { isJsonObject } from "../json/json-text.js";
import type { ErrorCode } from "../protocol/errors.js";
import type { OperationName } from "../protocol/operations.js";
import type { CallCodec } from "./client-codec.js";

/** An error as a binding has read it from a response. */
export interface ReceivedError {
  readonly operation: OperationName;
  readonly message?: string;
  /** Describes a response that is not an error of the protocol, such as a page of a proxy. */
  readonly seen?: string;
  readonly jsonRpcCode?: number;
  readonly httpStatus?: number;
  /** Seconds of `Retry-After` or, over gRPC, of the RetryInfo. */
  readonly retryAfter?: number;
  /** `error.data` or `error.details`. */
  readonly details?: unknown;
  /** `type` of a problem document or of an error object. */
  readonly problem?: string;
  /** The code, when the binding knows it. */
  readonly code?: ErrorCode;
}

/** The number of a JSON-RPC error, and its code if `errorCodeOf` of the codec returns one. */
export function jsonRpcErrorOf(
  jsonRpcCode: number,
  message: unknown,
  { errorCodeOf }: CallCodec,
): Pick<ReceivedError, "jsonRpcCode" | "code"> {
  const code = errorCodeOf?.(jsonRpcCode, typeof message === "string" ? message : "");
  return { jsonRpcCode, ...(code !== undefined && { code }) };
}

/** The error in a JSON-RPC response (§9.5). An unknown number is kept, with the message and the data. */
export function readErrorBody(
  error: unknown,
  codec: CallCodec,
): Pick<ReceivedError, "jsonRpcCode" | "code" | "message" | "details"> {
  const { code, message, data } = isJsonObject(error) ? error : {};
  return {
    ...(typeof code === "number" && jsonRpcErrorOf(code, message, codec)),
    ...(typeof message === "string" && { message }),
    ...(data !== undefined && { details: data }),
  };
}
