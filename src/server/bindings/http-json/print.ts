import { writeJson } from "../../../json/json-text.js";
import type { A2AError } from "../../../protocol/errors.js";
import type { Codec, HttpStatus } from "../../../versions/codec.js";
import { newestCodec } from "../../../versions/codecs.js";
import type { BodyReply } from "../../host.js";
import type { Binding } from "../binding.js";
import { framesOf, streamHeaders } from "../frames.js";
import { replyType } from "../media-type.js";
import { errorHeaders, printList, textReply, withHeaders } from "../reply.js";
import { HttpJsonRequest } from "./parse.js";

/** An empty response is an empty object. */
const empty = {};

/** The HTTP+JSON binding (§11). */
export const httpJson: Binding = {
  accept: (host, agent) => new HttpJsonRequest(host, agent),

  /** The body is the response of the operation, without an envelope. */
  printAnswer({ value, size }, { host, agent, codec, headers }) {
    const { room } = host;
    const replyHeaders = withHeaders({ "Content-Type": replyType(host, codec, agent.mediaType) }, headers);
    if (size === undefined) return textReply(writeJson(value ?? empty), replyHeaders, room);
    return printList(value, { before: "", after: "", size, headers: replyHeaders, room });
  },

  /** Frames whose data are the events as they are (§11.7). */
  printStream(stream, request) {
    const { codec, operation, headers } = request;
    const frames = framesOf(stream, request, {
      event: codec.eventWriter(operation.name),
      error: (error) => errorText(error, codec),
    });
    return { status: 200, headers: withHeaders(streamHeaders, headers), frames };
  },

  printError(error, { host, agent, codec, headers, status }) {
    return errorReply(error, { type: replyType(host, codec, agent.mediaType), headers, codec, status });
  },
};

/** Differences between an error reply and its error. */
export interface ErrorReplyOptions {
  /** Media type of the body. */
  readonly type: string;
  /** HTTP status and its name. */
  readonly status?: HttpStatus | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Codec of the caller's version; the newest by default. */
  readonly codec?: Codec;
}

/** The reply for an error, also of a request that is not for an agent. */
export function errorReply(error: A2AError, options: ErrorReplyOptions): BodyReply {
  const { type, status, headers, codec = newestCodec } = options;
  return {
    status: status?.code ?? codec.httpStatusOf(error),
    headers: { "Content-Type": type, ...errorHeaders(error), ...headers },
    body: errorText(error, codec, status),
  };
}

/** The body of an error reply, as JSON text (§11.6). */
function errorText(error: A2AError, codec: Codec, status?: HttpStatus): string {
  return writeJson(codec.encodeHttpError(error, status));
}
