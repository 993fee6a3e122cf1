import {
  type ExecutionContext,
  type Part,
  type Received,
  type Task,
  textOf,
  textPart,
  type Update,
  working,
} from "a2a-parley";
import { type Client, isInterrupted, isTerminal } from "a2a-parley/client";

/**
 * Delegates a part of the work to another agent. Its progress and its artifacts become those of the caller's task, its questions are
 * passed on to the caller, and its task is canceled when the caller's task is.
 */
export async function* delegate(
  client: Client,
  content: string,
  { ask, signal }: ExecutionContext,
): AsyncGenerator<Update, void> {
  const { name } = client.card;
  let task: Received<Task> | undefined;
  let parts: readonly Part[] | undefined = [textPart(content)];
  try {
    while (parts) {
      const message = task ? { taskId: task.id, contextId: task.contextId ?? "" } : {};
      const stream = client.stream(parts, { message, signal });
      for await (const event of stream) {
        task = stream.task;
        if (event.artifactUpdate) yield { artifactUpdate: event.artifactUpdate };
        const { state, message: said } = event.task?.status ?? event.statusUpdate?.status ?? {};
        if (said && state === "TASK_STATE_WORKING") yield working(`${name}: ${textOf(said)}`);
      }
      if (task?.status.state === "TASK_STATE_FAILED") throw new Error(`${name} has failed`);
      const question = task && isInterrupted(task.status.state) ? task.status.message : undefined;
      parts = question && (yield* ask(`${name}: ${textOf(question)}`)).parts;
    }
  } finally {
    if (signal.aborted && task && !isTerminal(task.status.state)) await client.cancelTask({ id: task.id });
  }
}
