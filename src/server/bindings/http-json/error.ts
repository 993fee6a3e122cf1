import { writeJson } from "../../../json/json-text.js";
import type { A2AError } from "../../../protocol/errors.js";
import type { Codec, HttpStatus } from "../../../versions/codec.js";
import { newestCodec } from "../../../versions/codecs.js";
import { type Arrival, arrive } from "../arrival.js";
import { errorHeaders } from "../error-headers.js";
import type { BodyReply, HttpRequest } from "../http.js";
import type { ServedAgent } from "../served-agent.js";
import { codecForRefusal } from "../version.js";
import { type HttpJsonOptions, replyType } from "./media-type.js";
import { choosePlace } from "./request.js";

/** Where an error reply differs from what its error says. */
export interface ErrorReplyOptions {
  /** Media type of the body. */
  readonly type: string;
  /** HTTP status and its name. */
  readonly status?: HttpStatus;
  readonly headers?: Readonly<Record<string, string>>;
  /** Version of the caller, when it is known. */
  readonly codec?: Codec;
}

/** The body of an error reply, as JSON text (§11.6). */
export function errorText(error: A2AError, codec: Codec, status?: HttpStatus): string {
  return writeJson(codec.encodeHttpError(error, status));
}

/** Reply for an error. */
export function errorReply(error: A2AError, options: ErrorReplyOptions): BodyReply {
  const { type, status, headers, codec = newestCodec } = options;
  return {
    status: status?.code ?? codec.httpStatusOf(error),
    headers: { "Content-Type": type, ...errorHeaders(error), ...headers },
    body: errorText(error, codec, status),
  };
}

/** Reply for what is refused before the binding sees the request: too large, not authenticated, shutting down. */
export function refuseHttpJson(
  error: A2AError,
  request: HttpRequest,
  { agent, ...options }: HttpJsonOptions & { readonly agent?: ServedAgent | undefined } = {},
): BodyReply {
  const codec = agent === undefined ? newestCodec : codecAt(arrive(request, agent));
  return errorReply(error, { type: replyType(request, codec, options), codec });
}

/** The version that is spoken at a path, as far as it can be told. */
function codecAt(arrival: Arrival): Codec {
  try {
    return choosePlace(arrival).codec;
  } catch {
    return codecForRefusal(arrival);
  }
}
