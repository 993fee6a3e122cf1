import type { A2AError } from "../../errors.js";
import type { HttpStatus, WireError } from "../codec.js";
import { errorDetails } from "../error-details.js";

/** An error as JSON-RPC carries it (§9.5). */
export function encodeError(error: A2AError): WireError {
  return { code: error.jsonRpcCode, message: error.message, data: errorDetails(error) };
}

/** An error as HTTP+JSON carries it (§11.6). */
export function encodeHttpError(error: A2AError, status?: HttpStatus): object {
  const { code, name } = status ?? { code: error.httpStatus, name: error.status };
  return { error: { code, status: name, message: error.message, details: errorDetails(error) } };
}
