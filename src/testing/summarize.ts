import assert from "node:assert/strict";
import { argumentError } from "../protocol/argument.js";
import { isTerminal } from "../protocol/lifecycle.js";
import type { Open, Received, StreamResponse, TaskState } from "../protocol/model.js";

/**
 * Reads a stream to its end and returns all events.
 *
 * @example
 * ```ts
 * const events = await collect(tested.client.stream("hello"));
 * ```
 * @throws TypeError for what is not a stream
 */
export async function collect(
  events: AsyncIterable<Received<StreamResponse>>,
): Promise<Received<StreamResponse>[]> {
  if (typeof Object(events)[Symbol.asyncIterator] !== "function" && !Array.isArray(events))
    throw argumentError("collect needs a stream, such as client.stream(...)", events);
  const all: Received<StreamResponse>[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/**
 * Describes each event in a few words, so that a test can compare the whole stream: `task SUBMITTED`, `status WORKING: Looking`,
 * `artifact answer: 42` (with the name of the artifact), `message Hello`.
 *
 * @example
 * ```ts
 * assert.deepEqual(summarize(events), ["task WORKING", "artifact answer: HELLO", "status COMPLETED"]);
 * ```
 * @throws TypeError for a stream instead of its events
 */
export function summarize(events: readonly Received<StreamResponse>[]): string[] {
  assertEvents(events, "summarize");
  return events.map(({ task, message, statusUpdate, artifactUpdate }) => {
    if (task !== undefined) return `task ${short(task.status.state)}`;
    if (message !== undefined) return `message${textIn(message.parts, " ")}`;
    if (statusUpdate !== undefined) {
      const { state, message: said } = statusUpdate.status;
      return `status ${short(state)}${textIn(said?.parts)}`;
    }
    const { name = "", parts = [] } = artifactUpdate?.artifact ?? {};
    return `artifact ${name}${textIn(parts)}`.replace("artifact :", "artifact:").trimEnd();
  });
}

function assertEvents(events: unknown, reader: string): void {
  if (!Array.isArray(events))
    throw argumentError(
      `${reader} needs the events in a list, as \`await collect(stream)\` returns them`,
      events,
    );
}

function short(state: Open<TaskState>): string {
  return String(state).replace("TASK_STATE_", "");
}

function textIn(parts: readonly { readonly text?: unknown }[] = [], before = ": "): string {
  const text = parts.flatMap((part) => (typeof part.text === "string" ? [part.text] : [])).join("");
  return text === "" ? "" : before + text;
}

/**
 * Checks the rules that hold for every stream: it is a single message, or a task followed by events of that task, and the event that ends
 * the task is followed at most by the task itself, once (§3.1.2).
 * @throws AssertionError for the first event that breaks a rule; TypeError for a stream instead of its events
 *
 * @example
 * ```ts
 * assertStream(await collect(tested.client.stream("hello")));
 * ```
 */
export function assertStream(events: readonly Received<StreamResponse>[]): void {
  assertEvents(events, "assertStream");
  const [first] = events;
  assert.ok(first, "The stream has no event");
  if (first.message !== undefined) {
    assert.equal(events.length, 1, "An event follows the message");
    return;
  }
  assert.ok(first.task, "The stream begins with neither a task nor a message");
  const { id, contextId } = first.task;
  let ended = isTerminal(first.task.status.state);
  let isClosed = false;
  for (const event of events.slice(1)) {
    assert.ok(!isClosed, "An event follows the closing task");
    assert.ok(!ended || event.task, "An update follows the end of the task");
    assert.ok(!event.message, "A message follows the task");
    assert.equal(event.task?.id ?? id, id, "An event is another task");
    isClosed = ended;
    const update = event.statusUpdate ?? event.artifactUpdate;
    if (update !== undefined)
      assert.deepEqual(
        [update.taskId, update.contextId],
        [id, contextId],
        "An update belongs to another task",
      );
    const state = event.statusUpdate?.status.state ?? event.task?.status.state;
    ended ||= state !== undefined && isTerminal(state);
  }
}
