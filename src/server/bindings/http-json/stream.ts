import { failure } from "../failure.js";
import { eventFrames, Frames } from "../frames.js";
import type { Inquiry } from "../invoke.js";
import type { OpenedStream } from "../opening.js";
import { errorFrame } from "../sse.js";
import { errorText } from "./error.js";

/** Frames whose data are the events as they are (§11.7). */
export function frames(stream: OpenedStream, inquiry: Inquiry): Frames {
  const { codec, operation } = inquiry;
  return new Frames(stream, {
    ...eventFrames(inquiry, codec.eventWriter(operation.name)),
    error: (thrown) => errorFrame(errorText(failure(thrown, inquiry), codec)),
  });
}
