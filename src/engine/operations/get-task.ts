import type { CallContext } from "../../protocol/call-context.js";
import { generationSeen } from "../../protocol/generations.js";
import { isTerminal } from "../../protocol/lifecycle.js";
import type { GetTaskRequest, Task } from "../../protocol/model.js";
import { answerWith, loadTask, logFor, type TaskAccess } from "../task-log.js";
import type { LongPolls } from "./long-polls.js";

/** What {@link getTask} works with. */
interface GetTaskDeps extends TaskAccess {
  readonly polls: LongPolls;
}

/**
 * GetTask (§3.1.3): the latest snapshot of a task, with the requested length of its history (§3.2.4). In versions with generations, a
 * caller can send the generation that it has. The read then waits as {@link LongPolls} describes, unless the task is beyond that generation
 * or has ended.
 * @throws A2AError TASK_NOT_FOUND; what `scopeOf` or the store throws
 */
export async function getTask(
  access: GetTaskDeps,
  request: GetTaskRequest,
  call: CallContext,
): Promise<Task> {
  const { id, historyLength } = request;
  const log = logFor(access, call, id);
  const snapshot = await loadTask(log);
  const seen = generationSeen(request, call);
  if (seen === undefined || snapshot.generation > seen || isTerminal(snapshot.task.status.state)) {
    return answerWith(snapshot, call, historyLength);
  }
  await access.polls.wait({ log, from: snapshot.generation, seen, signal: call.signal });
  return answerWith(await loadTask(log), call, historyLength);
}
