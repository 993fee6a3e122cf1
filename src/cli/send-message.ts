import type { Client } from "../client/client.js";
import type { SendMessageRequest, SendMessageResponse } from "../protocol/model.js";
import type { CommandCall } from "./command.js";
import { awaitEvents, pollTask } from "./follow-events.js";
import { isDone } from "./text/write-task.js";

/** Whether a message begins something new. */
export function isNew({ message }: SendMessageRequest): boolean {
  return message.taskId === undefined;
}

/** Sends, and waits by the agent's events where it has them, so that the task is known while it is waited for. */
export async function untilDone(
  call: CommandCall,
  client: Client,
  request: SendMessageRequest,
): Promise<SendMessageResponse> {
  const { notes, signal } = call;
  notes.progress("sent …");
  if (client.card.capabilities.streaming === true) {
    const events = client.sendStreamingMessage(request, { signal, fallback: true });
    return awaitEvents(call, client, events, isNew(request));
  }
  // A user who stops waiting needs the task's id; a continued task may still show its earlier state.
  const response = await (isNew(request)
    ? accepted(call, client, request)
    : client.sendMessage(request, { signal }));
  const { task } = response;
  if (task === undefined || isDone(task.status.state)) return response;
  return { task: await pollTask(call, client, task) };
}

/** Sends, and does not wait. */
export function accepted(
  { signal }: CommandCall,
  client: Client,
  request: SendMessageRequest,
): Promise<SendMessageResponse> {
  return client.sendMessage({ ...request, configuration: { returnImmediately: true } }, { signal });
}
