import { writeJson } from "../../../json/json-text.js";
import type { A2AError } from "../../../protocol/errors.js";
import { errors } from "../../../protocol/operations.js";
import type { Codec } from "../../../versions/codec.js";
import { newestCodec } from "../../../versions/codecs.js";
import { arrive } from "../arrival.js";
import { errorHeaders } from "../error-headers.js";
import type { BodyReply, HttpRequest } from "../http.js";
import { JSON_TYPE } from "../media-type.js";
import type { ServedAgent } from "../served-agent.js";
import { codecForRefusal } from "../version.js";
import type { RequestId } from "./request.js";

/** Where an error reply differs from the common case. */
export interface ErrorReplyOptions {
  /** `id` of the request; null when it could not be read. */
  readonly id?: RequestId;
  /** HTTP status, when it is not the one of the error. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Version of the caller, when it is known. */
  readonly codec?: Codec;
}

/** A JSON-RPC response that carries an error, as JSON text (§9.5). */
export function errorText(error: A2AError, id: RequestId, codec: Codec): string {
  return writeJson({ jsonrpc: "2.0", id, error: codec.encodeError(error) });
}

/** Reply for an error: HTTP 200 for errors of the call, another status for refusals below the call (RPC-16). */
export function errorReply(error: A2AError, options: ErrorReplyOptions = {}): BodyReply {
  return {
    status: options.status ?? errors[error.code].jsonRpcHttpStatus,
    headers: { "Content-Type": JSON_TYPE, ...errorHeaders(error), ...options.headers },
    body: errorText(error, options.id ?? null, options.codec ?? newestCodec),
  };
}

/** Reply for what is refused before the binding sees the request: too large, not authenticated, shutting down. */
export function refuseJsonRpc(
  error: A2AError,
  request: HttpRequest,
  { agent }: { readonly agent?: ServedAgent | undefined } = {},
): BodyReply {
  return errorReply(error, agent && { codec: codecForRefusal(arrive(request, agent)) });
}
