import { isJsonObject } from "../json/json-text.js";
import type { CallCodec } from "./client-codec.js";
import type { ReceivedError } from "./received-error.js";

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
