import { artifact, completed, type StreamResponse, type Update, working } from "a2a-parley";
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
function* relayed(event: StreamResponse): Generator<Update> {
  if (event.artifactUpdate !== undefined) yield { artifactUpdate: event.artifactUpdate };
  if (event.statusUpdate !== undefined) yield { statusUpdate: event.statusUpdate };
  if (event.message !== undefined) {
    yield artifact({ name: "reply" }).parts(event.message.parts);
    yield completed();
  }
  if (event.task !== undefined) {
    for (const made of event.task.artifacts ?? []) yield { artifactUpdate: { artifact: made } };
    // This task is under way already; that the other one is about to be says nothing new.
    if (event.task.status.state !== "TASK_STATE_SUBMITTED")
      yield { statusUpdate: { status: event.task.status } };
  }
}
