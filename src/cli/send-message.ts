import type { Client } from "../client/client.js";
import { isSettled } from "../protocol/lifecycle.js";
import type { Received, SendMessageRequest, SendMessageResponse } from "../protocol/model.js";
import type { CommandCall } from "./command.js";
import { awaitEvents, pollTask } from "./follow-events.js";

/** Whether a message starts a new task. */
export function isNew({ message }: SendMessageRequest): boolean {
  return message.taskId === undefined;
}

/**
 * Sends a message and waits until the task has ended or waits for its caller. If the agent supports streaming, the command reads events, so
 * that it knows the task's id early.
 */
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
  // A new task is created without waiting, so that a user who interrupts the command learns its id. A continued task is not: it could
  // still show the state in which it waited.
  const response = await (isNew(request)
    ? sendWithoutWaiting(call, client, request)
    : client.sendMessage(request, { signal }));
  const { task } = response;
  if (task === undefined || isSettled(task.status.state)) return response;
  return { task: await pollTask(call, client, task) };
}

/** Sends a message without waiting for the task to settle. */
export function sendWithoutWaiting(
  { signal }: CommandCall,
  client: Client,
  request: SendMessageRequest,
): Promise<Received<SendMessageResponse>> {
  const configuration = { ...request.configuration, returnImmediately: true };
  return client.sendMessage({ ...request, configuration }, { signal });
}
