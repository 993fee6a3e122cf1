import { assert, streaming } from "./expect.js";
import { at, textAt, type Unchecked } from "./json.js";
import type { EventSource, PeerAnswer, StreamedEvent } from "./peer.js";
import { Deviation } from "./verdict.js";

const KINDS = ["task", "message", "statusUpdate", "artifactUpdate"];
const TERMINAL = /COMPLETED|FAILED|CANCELED|REJECTED/;

/** Kind of an event: the name of its member, such as `task`. Several are joined by commas; without any it is `""`. */
export function kindOf(event: Unchecked): string {
  return KINDS.filter((kind) => at(event, kind) !== undefined).join();
}

/** State in a status update or a task; `""` if the event has none. */
export function stateOf(event: Unchecked): string {
  return textAt(event, "statusUpdate", "status", "state") || textAt(event, "task", "status", "state");
}

/** Whether a state is terminal. */
export function hasEnded(state: string): boolean {
  return TERMINAL.test(state);
}

/** Number of events of a stream at which reading fails. */
const MAX_EVENTS = 2000;

/** All events of a stream, to its end. @throws Deviation when there is no stream, or when it is too long */
export function readStream(opened: PeerAnswer | EventSource): Promise<StreamedEvent[]> {
  const events = toEnd(opened);
  // A check that fails before it awaits the events must not leave an unhandled rejection.
  events.catch(() => undefined);
  return events;
}

async function toEnd(opened: PeerAnswer | EventSource): Promise<StreamedEvent[]> {
  const stream = streaming(opened);
  const events: StreamedEvent[] = [];
  try {
    for await (const event of stream.events) {
      events.push(event);
      assert(events.length < MAX_EVENTS, `there are more than ${MAX_EVENTS} events`);
    }
  } finally {
    stream.close();
  }
  return events;
}

/** Reads the first event of a stream and closes it. @throws Deviation */
export async function firstOf(opened: PeerAnswer | EventSource): Promise<StreamedEvent> {
  const stream = streaming(opened);
  try {
    const next = await stream.events.next();
    if (next.done) throw new Deviation("the stream ended without an event");
    return next.value;
  } finally {
    stream.close();
  }
}
