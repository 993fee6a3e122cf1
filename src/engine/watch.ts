import type { SendMessageConfiguration, StreamResponse, TaskState } from "../model.js";
import type { TaskSnapshot } from "../stores/task-store.js";
import { foldLog } from "../task/fold.js";
import { follow } from "../task/follow.js";
import { tag } from "../task/generation.js";
import { limitHistory } from "../task/history.js";
import { isInterrupted, isTerminal } from "../task/lifecycle.js";
import type { TaskLog } from "./task-log.js";

/** One reader of one task. */
export interface Watch {
  readonly log: TaskLog;
  /** Where the reader begins. */
  readonly snapshot: TaskSnapshot;
  /** Ends the stream when it aborts. */
  readonly signal: AbortSignal;
  /** End the stream also when the task waits for input: the caller has to act next (OP-STREAM-08). */
  readonly untilInput: boolean;
}

/** Never aborts: for waits that end with the task. */
const forever = new AbortController().signal;

/**
 * The stream of a task: its snapshot, then every event behind it, each tagged with its generation. A cursor on the log, so
 * nothing can fall between snapshot and live events, and a slow reader is merely behind (§3.1.6).
 */
export async function* streamTask(
  watch: Watch,
  configuration?: SendMessageConfiguration,
): AsyncGenerator<StreamResponse> {
  const { log, snapshot, signal, untilInput } = watch;
  const { task, generation } = snapshot;
  yield tag({ task: limitHistory(task, configuration?.historyLength) }, generation);
  const ends = (state: TaskState) =>
    isTerminal(state) || (untilInput && state === "TASK_STATE_INPUT_REQUIRED");
  if (ends(task.status.state)) return;
  for await (const entries of follow(log.store, log.scope, log.taskId, generation, signal)) {
    for (const { event, generation } of entries) {
      yield tag(event, generation);
      if (event.statusUpdate && ends(event.statusUpdate.status.state)) return;
    }
  }
}

/**
 * Resolves when the task has reached a terminal or interrupted state at generation `from` or later (EXEC-01, EXEC-05).
 * Resolves as well when its log is gone.
 */
export async function settled({ store, scope, taskId }: TaskLog, from: number): Promise<void> {
  for await (const entries of follow(store, scope, taskId, from - 1, forever)) {
    for (const { event } of entries) {
      const state = (event.task ?? event.statusUpdate)?.status.state;
      if (state !== undefined && (isTerminal(state) || isInterrupted(state))) return;
    }
  }
}

/**
 * The task as of a generation, for readers that begin there. A log that was compacted has only its last state, which then
 * stands for all earlier ones.
 */
export async function taskAt(log: TaskLog, generation: number, latest: TaskSnapshot): Promise<TaskSnapshot> {
  if (latest.generation === generation) return latest;
  const entries = await log.store.read(log.scope, log.taskId, 0, generation);
  return entries === undefined ? latest : foldLog(entries);
}
