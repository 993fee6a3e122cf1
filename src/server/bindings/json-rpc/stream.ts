import { failure } from "../failure.js";
import { eventFrames, Frames } from "../frames.js";
import type { Inquiry } from "../invoke.js";
import type { OpenedStream } from "../opening.js";
import { errorFrame } from "../sse.js";
import { errorText } from "./error.js";
import type { RequestId } from "./request.js";

/** Frames whose data are JSON-RPC responses, each with the id of the request (§9.4.2). */
export function frames(stream: OpenedStream, inquiry: Inquiry, id: RequestId): Frames {
  const { codec, operation } = inquiry;
  const idMember = codec.conventions.framesWithoutId ? "" : `"id":${JSON.stringify(id)},`;
  const opening = `{"jsonrpc":"2.0",${idMember}"result":`;
  const write = codec.eventWriter(operation.name);
  return new Frames(stream, {
    ...eventFrames(inquiry, (event) => `${opening}${write(event)}}`),
    error: (thrown) => errorFrame(errorText(failure(thrown, inquiry), id, codec)),
  });
}
