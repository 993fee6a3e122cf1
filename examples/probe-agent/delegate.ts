import {
  artifact,
  completed,
  isTaskState,
  type Metadata,
  type Received,
  type StreamResponse,
  type TaskStatus,
  type Update,
  working,
} from "a2a-parley";
import { connect } from "a2a-parley/client";
import type { Command } from "./commands.js";

/** Calls another agent and relays what it does: `delegate URL TEXT`. */
export const delegate: Command = async function* ({ signal }, words) {
  const [url = "", ...text] = words.split(" ");
  const client = await connect(url, { signal });
  yield working(`Asking ${client.card.name}`);
  for await (const event of client.stream(text.join(" "), { signal })) yield* relayed(event);
};

/** An event of the other agent as updates of this task; ids are filled in anew. */
function* relayed(event: Received<StreamResponse>): Generator<Update> {
  if (event.artifactUpdate !== undefined) yield { artifactUpdate: event.artifactUpdate };
  if (event.statusUpdate !== undefined) yield* statusOf(event.statusUpdate);
  if (event.message !== undefined) {
    yield artifact({ name: "reply" }).parts(event.message.parts);
    yield completed();
  }
  if (event.task !== undefined) {
    for (const made of event.task.artifacts ?? []) yield { artifactUpdate: { artifact: made } };
    // This task is already running, so it does not report that the other one will start.
    if (event.task.status.state !== "TASK_STATE_SUBMITTED") yield* statusOf({ status: event.task.status });
  }
}

/** A status of the other agent. A state that this version does not define cannot be a state of this task. */
function* statusOf(update: { status: Received<TaskStatus>; metadata?: Metadata }): Generator<Update> {
  const { status, metadata } = update;
  const { state, message } = status;
  if (!isTaskState(state)) return;
  yield {
    statusUpdate: { status: { state, ...(message && { message }) }, ...(metadata && { metadata }) },
  };
}
