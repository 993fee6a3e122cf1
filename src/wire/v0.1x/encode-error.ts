import type { A2AError, ErrorCode } from "../../errors.js";
import type { WireError } from "../codec.js";

/** Numbers of the flat dialect, where they are not those of the model. */
const numbers: { readonly [Code in ErrorCode]?: number } = {
  EXTENSION_SUPPORT_REQUIRED: -32007,
  VERSION_NOT_SUPPORTED: -32008,
  UNAVAILABLE: -32000,
  DEADLINE_EXCEEDED: -32000,
};

/** An error of the flat dialect. */
export function encodeError({ code, jsonRpcCode, message }: A2AError): WireError {
  return { code: numbers[code] ?? jsonRpcCode, message };
}
