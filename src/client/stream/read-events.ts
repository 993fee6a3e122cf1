import type { StreamResponse } from "../../model.js";
import { tag } from "../../task/generation.js";
import { tooLarge } from "../client-error.js";
import type { Clock, TimeLimits } from "../clock.js";
import type { SizeLimits } from "../options.js";
import { refuseMany } from "../refuse-many.js";
import { type Frame, readFrames } from "./frames.js";
import { StreamedSize } from "./streamed-size.js";

/** Reads one event; undefined for one of an unknown kind. */
export type ReadEvent = (value: unknown) => StreamResponse | undefined;

/** How the events of a stream are read. */
export interface EventOptions {
  readonly url: URL;
  readonly clock: Clock;
  readonly timeouts: Required<TimeLimits>;
  readonly limits: Required<SizeLimits>;
  /** The JSON value in the data of a frame. */
  readonly valueIn: (data: string) => unknown;
  readonly read: ReadEvent;
  /** Whether the stream is over after a value. Without it, the connection says so. */
  readonly isLast?: (value: unknown) => boolean;
}

/**
 * The events of a stream, each with its number where the agent numbers them.
 *
 * Throws as the connection and the reading do, and ClientError RESPONSE_TOO_LARGE.
 */
export async function* readEvents(
  { body }: Response,
  { url, clock, timeouts, limits, valueIn, read, isLast }: EventOptions,
): AsyncGenerator<StreamResponse> {
  if (body === null) return;
  const size = new StreamedSize();
  const { idle, event: quiet } = timeouts;
  for await (const frame of readFrames(body, { url, clock, idle, event: quiet, limit: limits.event })) {
    refuseMany(frame.data, url, limits.values);
    const value = valueIn(frame.data);
    const event = read(value);
    if (event !== undefined) {
      const kept = size.after(event, frame.data.length);
      if (kept > limits.task) throw tooLarge(url, "a task", `${limits.task} characters`);
      yield numbered(event, frame);
    }
    if (isLast?.(value)) return;
  }
}

/** Notes the number of an event on it. Ids that are no generations say nothing to this client. */
function numbered(event: StreamResponse, { id }: Frame): StreamResponse {
  return id !== undefined && /^\d{1,15}$/.test(id) ? tag(event, Number(id)) : event;
}
