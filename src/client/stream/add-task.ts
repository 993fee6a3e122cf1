import type { Received, StreamResponse, Task } from "../../protocol/model.js";
import type { Deadline } from "../deadline.js";

/** Members of the call that opened the stream. The call that reads the task takes its signal and its time limit from them. */
interface Opening {
  readonly deadline: Deadline;
  readonly settings: { readonly timeouts: { readonly total: number } };
}

/** What a call that reads the task has in place of the members of the call that opened the stream. */
interface TaskRead {
  readonly operation: "GetTask";
  readonly request: { readonly id: string };
  readonly deadline: Deadline;
  readonly onReady: () => void;
}

/** Code of the client. It is passed in, so that this file, which is imported on demand, loads no module of the client. */
interface Code<Call> {
  readonly callUnary: (call: Omit<Call, keyof TaskRead> & TaskRead) => Promise<Received<Task>>;
  readonly Deadline: typeof Deadline;
}

/**
 * Adds the task to a stream of an older version that begins with an update. The update is left out if the task includes it: a reader that
 * folds it could append its chunk, or move its message to the history, twice.
 * @param attempt the call that opened the stream
 * @throws the errors of `events` and of `callUnary`
 */
export async function* withTask<Call extends Opening>(
  events: AsyncIterable<Received<StreamResponse>>,
  attempt: Call,
  code: Code<Call>,
): AsyncGenerator<Received<StreamResponse>> {
  let isOpen = false;
  for await (const event of events) {
    const update = isOpen ? undefined : (event.statusUpdate ?? event.artifactUpdate);
    isOpen = true;
    if (update === undefined) {
      yield event;
      continue;
    }
    const task = await taskOf(update.taskId, attempt, code);
    yield { task };
    if (!includes(task, event)) yield event;
  }
}

/** Reads the task of a stream, with time limits of its own. */
async function taskOf<Call extends Opening>(
  id: string,
  attempt: Call,
  { callUnary, Deadline }: Code<Call>,
): Promise<Received<Task>> {
  const deadline = new Deadline(attempt.deadline.signal);
  const onReady = () => deadline.start("total", attempt.settings.timeouts.total);
  const read = { operation: "GetTask", request: { id }, deadline, onReady } as const;
  return callUnary({ ...attempt, ...read }).finally(() => deadline.close());
}

/**
 * Whether a task that was read after an update includes it. An artifact update is always included, a status update if the task has its state,
 * its message and its metadata. A lenient client may receive values without these members.
 */
function includes(task: Received<Task>, { statusUpdate }: Received<StreamResponse>): boolean {
  if (statusUpdate === undefined) return true;
  const { status, metadata }: Partial<Received<Task>> = task;
  const { status: updated, metadata: added }: Partial<typeof statusUpdate> = statusUpdate;
  return (
    updated?.state === status?.state &&
    updated?.message?.messageId === status?.message?.messageId &&
    // As text, because an import of `sameJson` would enlarge the part of the client that every page loads. One agent has written both.
    Object.entries(added ?? {}).every(
      ([name, value]) => JSON.stringify(value) === JSON.stringify(metadata?.[name]),
    )
  );
}
