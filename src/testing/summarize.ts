import assert from "node:assert/strict";
import { isTerminal } from "../protocol/lifecycle.js";
import type { StreamResponse } from "../protocol/model.js";

/** All events of a stream, to its end. */
export async function collect(events: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/**
 * What events say, in a few words each, to be compared as a whole: `task SUBMITTED`, `status WORKING: Looking`,
 * `artifact answer: 42`, `message Hello`.
 */
export function summarize(events: readonly StreamResponse[]): string[] {
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

function short(state: string): string {
  return String(state).replace("TASK_STATE_", "");
}

function textIn(parts: readonly { readonly text?: unknown }[] = [], before = ": "): string {
  const text = parts.flatMap((part) => (typeof part.text === "string" ? [part.text] : [])).join("");
  return text === "" ? "" : before + text;
}

/**
 * Demands what every stream of the protocol keeps to: a single message, or a task and then updates of this very task, at most
 * one end, and nothing behind it but the task (§3.1.2).
 * @throws AssertionError
 */
export function assertStream(events: readonly StreamResponse[]): void {
  const [first] = events;
  assert.ok(first, "The stream has no event");
  if (first.message !== undefined) {
    assert.equal(events.length, 1, "Something follows the message");
    return;
  }
  assert.ok(first.task, "The stream begins with neither a task nor a message");
  const { id, contextId } = first.task;
  let ended = isTerminal(first.task.status.state);
  for (const event of events.slice(1)) {
    assert.ok(!ended || event.task, "An update follows the end of the task");
    assert.ok(!event.message, "A message follows the task");
    const update = event.statusUpdate ?? event.artifactUpdate;
    if (update !== undefined)
      assert.deepEqual([update.taskId, update.contextId], [id, contextId], "An update is of another task");
    const state = event.statusUpdate?.status.state ?? event.task?.status.state;
    ended ||= state !== undefined && isTerminal(state);
  }
}
