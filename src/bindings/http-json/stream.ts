import { generationOf } from "../../task/generation.js";
import { failure } from "../failure.js";
import { Frames } from "../frames.js";
import type { Inquiry, OpenedStream } from "../invoke.js";
import { errorFrame, eventFrame } from "../sse.js";
import { errorText } from "./error.js";

/** Frames whose data are the events as they are (§11.7). */
export function frames(stream: OpenedStream, inquiry: Inquiry): Frames {
  const { codec, operation } = inquiry;
  const write = codec.eventWriter(operation.name);
  return new Frames(stream, {
    event: (event) => eventFrame(write(event), generationOf(event)),
    error: (thrown) => errorFrame(errorText(failure(thrown, inquiry), codec)),
  });
}
