import type { Client } from "../client/client.js";
import type { Received, SendMessageRequest, SendMessageResponse } from "../protocol/model.js";
import type { CommandCall } from "./command.js";
import { awaitEvents, pollTask } from "./follow-events.js";
import { isDone } from "./text/write-task.js";

/** Whether a message starts a new task. */
export function isNew({ message }: SendMessageRequest): boolean {
  return message.taskId === undefined;
}

/** Sends a message and waits. It reads events if the agent streams, so that the task's id is known early. */
export async function untilDone(
  call: CommandCall,
  client: Client,
  request: SendMessageRequest,
): Promise<Received<SendMessageResponse>> {
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

/** Sends a message without waiting. */
export function accepted(
  { signal }: CommandCall,
  client: Client,
  request: SendMessageRequest,
): Promise<Received<SendMessageResponse>> {
  return client.sendMessage({ ...request, configuration: { returnImmediately: true } }, { signal });
}
