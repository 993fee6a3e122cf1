import type { A2AError } from "../../protocol/errors.js";
import type { AnswerRoom, BodyReply } from "../host.js";
import { noHeaders, type ReplyHeaders } from "../operation-request.js";
import { type ListParts, writeList } from "./write-list.js";

/** The headers `Retry-After` and `WWW-Authenticate` of an error, if it has these values (§3.3.2). */
export function errorHeaders({ retryAfter, challenge }: A2AError): ReplyHeaders {
  return {
    ...(retryAfter !== undefined && { "Retry-After": String(Math.ceil(retryAfter)) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
}

/** The headers of a response, with the additional headers of its request. */
export function withHeaders(headers: ReplyHeaders, more: ReplyHeaders): ReplyHeaders {
  return more === noHeaders ? headers : { ...headers, ...more };
}

/** The reply for a response that is written as one string. */
export function textReply(body: string, headers: ReplyHeaders, room: AnswerRoom | undefined): BodyReply {
  room?.wrote(body.length);
  return { status: 200, headers, body };
}

/** The envelope of a binding around a list, and the headers of the response. */
export interface ListFrame extends ListParts {
  readonly headers: ReplyHeaders;
}

/** The reply for a response with a list. A long one is written over several turns of the event loop. */
export function printList(value: unknown, frame: ListFrame): BodyReply | Promise<BodyReply> {
  const { headers, room } = frame;
  const body = writeList(value, frame);
  if (typeof body === "string") return textReply(body, headers, room);
  return body.then((bytes) => ({ status: 200, headers, body: bytes }));
}
