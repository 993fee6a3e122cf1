import type { A2AError } from "../../errors.js";
import { writeJson } from "../../wire/json-text.js";
import { errorDetails, errorHeaders } from "../error-details.js";
import type { BodyReply, HttpRequest } from "../http.js";
import { type HttpJsonOptions, replyType } from "./media-type.js";

/** Where an error reply differs from what its error says. */
export interface ErrorReplyOptions {
  /** Media type of the body. */
  readonly type: string;
  /** HTTP status and its name. */
  readonly status?: { readonly code: number; readonly name: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of an error reply, as JSON text (§11.6). */
export function errorText(error: A2AError, status = { code: error.httpStatus, name: error.status }): string {
  const { message } = error;
  return writeJson({
    error: { code: status.code, status: status.name, message, details: errorDetails(error) },
  });
}

/** Reply for an error. */
export function errorReply(error: A2AError, { type, status, headers }: ErrorReplyOptions): BodyReply {
  return {
    status: status?.code ?? error.httpStatus,
    headers: { "Content-Type": type, ...errorHeaders(error), ...headers },
    body: errorText(error, status),
  };
}

/** Reply for what is refused before the binding sees the request: too large, not authenticated, shutting down. */
export function refuseHttpJson(
  error: A2AError,
  request: HttpRequest,
  options: HttpJsonOptions = {},
): BodyReply {
  return errorReply(error, { type: replyType(request, options) });
}
