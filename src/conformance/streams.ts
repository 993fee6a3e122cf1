import { assert, streaming } from "./expect.js";
import { at, textAt, type Unchecked } from "./json.js";
import type { EventSource, PeerAnswer, StreamedEvent } from "./peer.js";

const KINDS = ["task", "message", "statusUpdate", "artifactUpdate"];
const TERMINAL = /COMPLETED|FAILED|CANCELED|REJECTED/;

/** Kind of an event: its member among the four; several are joined by commas, none is `""`. */
export function kindOf(event: Unchecked): string {
  return KINDS.filter((kind) => at(event, kind) !== undefined).join();
}

/** State in an event; `""` if it has none. */
export function stateOf(event: Unchecked): string {
  return textAt(event, "statusUpdate", "status", "state") || textAt(event, "task", "status", "state");
}

/** Whether a state is terminal. */
export function hasEnded(state: string): boolean {
  return TERMINAL.test(state);
}

/** Maximum number of events to read. */
const MAX_EVENTS = 2000;

/** All events of a stream, to its end. @throws Deviation when there is no stream */
export function readStream(opened: PeerAnswer | EventSource): Promise<StreamedEvent[]> {
  const events = toEnd(opened);
  // A check that has failed no longer awaits the stream.
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
    const { value, done } = await stream.events.next();
    assert(!done, "the stream ended without an event");
    return value as StreamedEvent;
  } finally {
    stream.close();
  }
}
