import { writeJson } from "../../json/json-text.js";
import type { A2AError } from "../../protocol/errors.js";
import type { AnswerRoom, BodyReply } from "../host.js";
import { noHeaders, type ReplyHeaders } from "../operation-request.js";
import type { Answer } from "./binding.js";
import { writeList } from "./write-list.js";

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

/** What a binding puts around an answer. */
export interface BodyFrame {
  readonly before: string;
  readonly after: string;
  readonly headers: ReplyHeaders;
  readonly room: AnswerRoom | undefined;
}

/** Prints an answer as one JSON text. A long list is written over several turns of the event loop. */
export function printBody({ value, size }: Answer, frame: BodyFrame): BodyReply | Promise<BodyReply> {
  const { before, after, headers, room } = frame;
  const body =
    size === undefined ? before + writeJson(value) + after : writeList(value, { before, after, room, size });
  if (typeof body !== "string") return body.then((bytes) => ({ status: 200, headers, body: bytes }));
  room?.wrote(body.length);
  return { status: 200, headers, body };
}
