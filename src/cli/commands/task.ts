import { activeStates, interruptedStates, terminalStates } from "../../protocol/lifecycle.js";
import type { ListTasksRequest, Received, Task, TaskState } from "../../protocol/model.js";
import type { Argument, Command, CommandCall } from "../command.js";
import { connectAgent } from "../connect-agent.js";
import { usage } from "../failure.js";
import { awaitEvents, pollTask, printEvents } from "../follow-events.js";
import { callOptions, history, pollInterval, stream } from "../options.js";
import type { Page } from "../text/page.js";
import { reportOutcome, statusLineOf, writeStatusLine, writeTask } from "../text/write-task.js";

const taskId: Argument = { name: "taskId", help: "Id of the task" };

/** `parley task get`: shows the current task, or with `--wait` the settled one. */
export const taskGet: Command = {
  path: ["task", "get"],
  summary: "Show a task with its artifacts, or wait for it",
  args: [taskId],
  options: [
    { name: "wait", help: "Poll until the task has ended or waits for you" },
    { name: "stream", explicit: true, help: "With -o json: the task on one line" },
    pollInterval,
    history,
    ...callOptions,
  ],
  examples: ["parley task get <taskId> --wait --timeout 5m"],
  async run(call) {
    const { values, words, signal, notes } = call;
    const [id = ""] = words;
    const historyLength = values.count("history");
    const client = await connectAgent(call);
    notes.progress("waiting …");
    const task = values.isOn("wait")
      ? await pollTask(call, client, { id })
      : await client.getTask({ id, ...(historyLength !== undefined && { historyLength }) }, { signal });
    printTask(call, task);
    reportOutcome(call, statusLineOf(task));
  },
};

/** `parley task cancel`: cancels a task and shows it. */
export const taskCancel: Command = {
  path: ["task", "cancel"],
  summary: "Cancel a task",
  args: [taskId],
  options: [
    { name: "stream", explicit: true, help: "With -o json: the task on one line" },
    { name: "metadata", takes: "json", help: "Metadata of the request, a JSON object" },
    ...callOptions,
  ],
  async run(call) {
    const [id = ""] = call.words;
    const metadata = call.values.object("metadata");
    const client = await connectAgent(call);
    const task = await client.cancelTask({ id, ...(metadata && { metadata }) }, { signal: call.signal });
    printTask(call, task);
  },
};

/** `parley task subscribe`: follows a task from now on. */
export const taskSubscribe: Command = {
  path: ["task", "subscribe"],
  summary: "Follow a task until it has ended or waits for you",
  args: [taskId],
  options: [stream, pollInterval, ...callOptions],
  examples: ["parley task subscribe <taskId> --stream -o json"],
  async run(call) {
    const [id = ""] = call.words;
    const client = await connectAgent(call);
    const events = client.subscribeToTask({ id }, { signal: call.signal, fallback: true });
    if (call.output.isStream) return printEvents(call, client, events, true);
    const { task } = await awaitEvents(call, client, events, true);
    if (task === undefined) return undefined;
    printTask(call, task);
    return reportOutcome(call, statusLineOf(task));
  },
};

const states: readonly TaskState[] = [...activeStates, ...interruptedStates, ...terminalStates];

/** `parley task list`: lists tasks, one page or all. */
export const taskList: Command = {
  path: ["task", "list"],
  summary: "List tasks, the one whose status changed last first",
  args: [],
  options: [
    { name: "status", takes: "state", choices: states, help: "Only tasks in this state, such as working" },
    { name: "context-id", takes: "id", help: "Only tasks of this context" },
    { name: "since", takes: "time", help: "Only tasks whose status changed at this ISO 8601 time or later" },
    { name: "page-size", takes: "n", help: "Number of tasks per page" },
    { name: "page-token", takes: "token", help: "Continue after an earlier page" },
    { name: "artifacts", help: "Include the artifacts" },
    {
      name: "stream",
      explicit: true,
      help: "List all pages; with -o json one task per line",
    },
    history,
    ...callOptions,
  ],
  run: list,
};

async function list(call: CommandCall): Promise<void> {
  const { output, signal } = call;
  const request = listRequest(call);
  const client = await connectAgent(call);
  const isWhole = request.includeArtifacts === true || output.isVerbose;
  const write = (page: Page, task: Received<Task>): void => {
    if (isWhole) writeTask(page, task);
    else writeStatusLine(page, statusLineOf(task));
  };
  if (output.isStream) {
    for await (const task of client.iterateTasks(request, { signal }))
      output.print(task, (page) => write(page, task));
    return;
  }
  const answer = await client.listTasks(request, { signal });
  output.print(answer, (page) => {
    for (const task of answer.tasks) write(page, task);
    page.field("Tasks", `${answer.tasks.length} of ${answer.totalSize}`);
    page.field("Next page", answer.nextPageToken);
  });
}

function listRequest({ values }: CommandCall): ListTasksRequest {
  const contextId = values.text("context-id");
  const pageToken = values.text("page-token");
  const since = values.text("since");
  const pageSize = values.count("page-size", 1);
  const historyLength = values.count("history");
  const status = stateIn(values.text("status"));
  return {
    ...(contextId !== undefined && { contextId }),
    ...(status !== undefined && { status }),
    ...(pageSize !== undefined && { pageSize }),
    ...(pageToken !== undefined && { pageToken }),
    ...(historyLength !== undefined && { historyLength }),
    ...(since !== undefined && { statusTimestampAfter: timeIn(since) }),
    ...(values.isOn("artifacts") && { includeArtifacts: true }),
  };
}

/** A state by its name in the protocol or in short: `working`, `input-required`. */
function stateIn(text: string | undefined): TaskState | undefined {
  if (text === undefined) return undefined;
  const word = text.toUpperCase().replaceAll("-", "_");
  const state = states.find((name) => name === word || name === `TASK_STATE_${word}`);
  if (state === undefined) throw usage(`--status: there is no state "${text}"`, states.join(", "));
  return state;
}

function timeIn(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw usage(`--since takes a time such as 2026-01-31T12:00:00Z, not "${text}"`);
  return time.toISOString();
}

function printTask({ output, notes }: CommandCall, task: Received<Task>): void {
  notes.clearProgress();
  output.print(task, (page) => writeTask(page, task));
}
