import type { CallContext } from "../../protocol/call-context.js";
import { A2AError } from "../../protocol/errors.js";
import { isTerminal } from "../../protocol/lifecycle.js";
import type { SubscribeToTaskRequest } from "../../protocol/model.js";
import { loadTask, logFor, type TaskAccess, taskAt } from "../task-log.js";
import { SubscriberStream } from "./task-stream.js";

/**
 * SubscribeToTask (§3.1.6): the task, then every later event until the task ends.
 *
 * A client that reconnects sends the header `Last-Event-ID` with the last generation that it received. The server passes this number in
 * `call.after`. The stream begins with the task as of that generation, followed by every missed event. This works after the end of the task
 * as well, as long as its log is stored. If the store no longer has the beginning of the log and the task has not ended, the stream begins
 * with the current task instead.
 *
 * @returns a stream. Its first read rejects with A2AError TASK_NOT_FOUND if there is no such task, with UNSUPPORTED_OPERATION if the stream
 * would begin with a task that has ended, and with what `scopeOf` or the store throws
 */
export function subscribeToTask(
  access: TaskAccess,
  { id }: SubscribeToTaskRequest,
  call: CallContext,
): SubscriberStream {
  const { after = 0, signal } = call;
  return new SubscriberStream(async () => {
    const log = logFor(access, call, id);
    let snapshot = await loadTask(log);
    if (after > 0 && after < snapshot.generation) snapshot = await taskAt(log, after, snapshot);
    if (isTerminal(snapshot.task.status.state)) {
      const metadata = { taskId: id };
      throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended: read it with GetTask", { metadata });
    }
    return { log, snapshot, signal, untilInput: false };
  });
}
