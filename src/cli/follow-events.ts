import type { Client } from "../client/client.js";
import { type Gap, gapBefore } from "../client/stream/gap.js";
import type { TaskStream } from "../client/stream/task-stream.js";
import { isInterrupted, isSettled } from "../protocol/lifecycle.js";
import type { Received, SendMessageResponse, StreamResponse, Task } from "../protocol/model.js";
import type { CommandCall } from "./command.js";
import { chosenIntervals } from "./connect-agent.js";
import { Failure, withHint } from "./failure.js";
import {
  commandFor,
  progressOf,
  reportOutcome,
  statusLineOf,
  writeEvent,
  writeStatusLine,
} from "./text/write-task.js";

/**
 * Prints the events of a stream as they arrive. If the stream ends before the task has settled, the task is polled and then printed as
 * the last event.
 * @param isNew whether the message creates a task; the first event of a continued one may still show its earlier state
 */
export async function printEvents(
  call: CommandCall,
  client: Client,
  stream: TaskStream,
  isNew: boolean,
): Promise<void> {
  const { output } = call;
  let last: Received<StreamResponse> | undefined;
  try {
    for await (const event of stream) {
      noteGap(call, gapBefore(event), last);
      output.print(event, (page) => writeEvent(page, event));
      last = event;
      if (needsCaller(event, isNew)) break;
    }
  } catch (error) {
    throw stream.task === undefined ? error : withHint(error, resumption(call, stream.task));
  }
  if (stream.task === undefined) return;
  const hasSettled = isSettled(stream.task.status.state);
  const task = hasSettled ? stream.task : await pollTask(call, client, stream.task);
  if (!hasSettled) output.print({ task }, (page) => writeEvent(page, { task }));
  else if (last?.artifactUpdate !== undefined && !output.isJson)
    output.page((page) => writeStatusLine(page, statusLineOf(task)));
  reportOutcome(call, statusLineOf(task));
}

/** Reports missing events; only once if the task is polled, because then no events arrive. */
function noteGap(
  { notes }: CommandCall,
  gap: Gap | undefined,
  last: Received<StreamResponse> | undefined,
): void {
  if (gap?.reason !== "polled") {
    if (gap !== undefined) notes.warn(`events are missing before the next one (${gap.reason})`);
  } else if (last === undefined || gapBefore(last)?.reason !== "polled") {
    notes.warn("the agent does not support subscriptions: the task is polled");
  }
}

/** Whether the task waits for its caller after an event. Agents close a stream at INPUT_REQUIRED, but not always at AUTH_REQUIRED. */
function needsCaller({ task, statusUpdate }: Received<StreamResponse>, isNew: boolean): boolean {
  // A continued task may still show the state in which it waited.
  const status = statusUpdate?.status ?? (isNew ? task?.status : undefined);
  return status !== undefined && isInterrupted(status.state);
}

/**
 * Waits for the end of a stream. If the stream fails, the task is polled (§7.3 of the command-line
 * contract).
 */
export async function awaitEvents(
  call: CommandCall,
  client: Client,
  stream: TaskStream,
  isNew: boolean,
): Promise<Received<SendMessageResponse>> {
  const { notes, signal } = call;
  try {
    for await (const event of stream) {
      if (stream.task !== undefined) notes.progress(progressOf(stream.task));
      if (needsCaller(event, isNew)) break;
    }
  } catch (error) {
    if (stream.task === undefined) throw error;
    if (signal.aborted) throw withHint(error, resumption(call, stream.task));
    notes.debug(`the stream failed: ${error instanceof Error ? error.message : String(error)}`);
    return { task: await pollTask(call, client, stream.task) };
  }
  const { task, message } = stream;
  if (message !== undefined) return { message };
  if (task === undefined) throw new Failure("A2ACLI_ERR_INTERNAL", "The stream ended without a task");
  return { task: isSettled(task.status.state) ? task : await pollTask(call, client, task) };
}

/** Polls a task until it has ended or needs its caller. */
export async function pollTask(
  call: CommandCall,
  client: Client,
  task: Pick<Task, "id">,
): Promise<Received<Task>> {
  const { values, signal, notes } = call;
  const historyLength = values.count("history");
  notes.debug(`polling task ${task.id}`);
  const more = historyLength === undefined ? {} : { historyLength };
  try {
    return await client.waitForTask(task, {
      via: "poll",
      signal,
      interval: chosenIntervals(values),
      ...more,
    });
  } catch (error) {
    throw withHint(error, resumption(call, task));
  }
}

/** The hint with the command that waits for a task again. */
function resumption(call: CommandCall, { id }: Pick<Task, "id">): string {
  return `the task continues: ${commandFor(call, "task get")} ${id} --wait`;
}
