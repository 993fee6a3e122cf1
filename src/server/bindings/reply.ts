import type { A2AError } from "../../protocol/errors.js";
import type { AnswerRoom, BodyReply } from "../host.js";
import { noHeaders, type ReplyHeaders } from "../operation-request.js";
import { type ListParts, writeList } from "./write-list.js";

/** Headers that say when a retry may succeed and who may call at all, as far as the error knows (§3.3.2). */
export function errorHeaders({ retryAfter, challenge }: A2AError): ReplyHeaders {
  return {
    ...(retryAfter !== undefined && { "Retry-After": String(Math.ceil(retryAfter)) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
}

/** Headers of an answer with those that its request adds. */
export function withHeaders(headers: ReplyHeaders, more: ReplyHeaders): ReplyHeaders {
  return more === noHeaders ? headers : { ...headers, ...more };
}

/** An answer that is written as one text. */
export function textReply(body: string, headers: ReplyHeaders, room: AnswerRoom | undefined): BodyReply {
  room?.wrote(body.length);
  return { status: 200, headers, body };
}

/** What a binding puts around a list. */
export interface ListFrame extends ListParts {
  readonly headers: ReplyHeaders;
}

/** Prints an answer that holds a list. A long one is written over several turns of the event loop. */
export function printList(value: unknown, frame: ListFrame): BodyReply | Promise<BodyReply> {
  const { headers, room } = frame;
  const body = writeList(value, frame);
  if (typeof body === "string") return textReply(body, headers, room);
  return body.then((bytes) => ({ status: 200, headers, body: bytes }));
}
