import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Client } from "../../../../client/client.js";
import type { ListTasksRequest, Task, TaskState } from "../../../../protocol/model.js";
import { enums } from "../../../../protocol/operations.js";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { Choice, TextField } from "../../components/field.js";
import { route, routeTo } from "../../route.js";
import { currentAgent, problemOf } from "../../session/current-agent.js";
import { stateOfTask, stateWord } from "../../talk/state-words.js";
import { timeText } from "../../time-text.js";
import { StateBadge } from "./state-badge.js";
import { TaskDetail } from "./task-detail.js";

/** What is asked for. */
interface Filter {
  readonly status: string;
  readonly contextId: string;
  readonly pageSize: string;
}

const filter = signal<Filter>({ status: "", contextId: "", pageSize: "20" });

/** Pages that were read: the tasks, and the tokens that lead to each page. */
interface Pages {
  readonly tokens: readonly string[];
  readonly tasks: readonly Task[];
  readonly next: string;
  readonly total: number | undefined;
}

/** The tasks of the agent, by page and with filters, and each of them through its log. */
export function TasksScreen() {
  const agent = currentAgent.value;
  return (
    <>
      <h1>Tasks</h1>
      <p>
        The tasks that this agent keeps for you, newest first. Choose one to see it at every point of its log.
      </p>
      {agent.status === "open" ? (
        <List key={agent.url} client={agent.client} />
      ) : (
        <Notice tone="bad">The agent is not open, so it cannot be asked.</Notice>
      )}
    </>
  );
}

function List({ client }: { client: Client }) {
  const [pages, setPages] = useState<Pages>();
  const [problem, setProblem] = useState<string>();
  const read = async (tokens: readonly string[]) => {
    setProblem(undefined);
    try {
      const {
        tasks,
        nextPageToken: next = "",
        totalSize,
      } = await client.listTasks(requestOf(tokens.at(-1) ?? ""));
      setPages({ tokens, tasks: tasks as readonly Task[], next, total: totalSize });
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first page is read once
  useEffect(() => void read([""]), []);
  const [id] = route.value.rest;
  return (
    <>
      <FilterForm onSubmit={() => void read([""])} />
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {pages !== undefined && <Page pages={pages} chosen={id} onRead={(tokens) => void read(tokens)} />}
      {id !== undefined && <TaskDetail key={id} client={client} id={id} />}
    </>
  );
}

function requestOf(pageToken: string): ListTasksRequest {
  const { status, contextId, pageSize } = filter.value;
  const size = Number(pageSize);
  return {
    ...(status !== "" && { status: status as NonNullable<ListTasksRequest["status"]> }),
    ...(contextId !== "" && { contextId }),
    ...(size > 0 && { pageSize: size }),
    ...(pageToken !== "" && { pageToken }),
  };
}

const states = (Object.keys(enums.TaskState) as TaskState[]).filter((name) => !name.endsWith("_UNSPECIFIED"));

function FilterForm({ onSubmit }: { onSubmit: () => void }) {
  const { status, contextId, pageSize } = filter.value;
  const change = (changes: Partial<Filter>) => {
    filter.value = { ...filter.value, ...changes };
  };
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form class="filters" onSubmit={submit}>
      <Choice
        label="State"
        value={status}
        options={[["", "Any"], ...states.map((name) => [name, stateWord(name).text] as const)]}
        onValue={(next) => change({ status: next })}
      />
      <TextField label="Context id" value={contextId} onValue={(next) => change({ contextId: next })} />
      <TextField
        label="Tasks on a page"
        type="number"
        value={pageSize}
        onValue={(next) => change({ pageSize: next })}
      />
      <Button look="primary" type="submit">
        List
      </Button>
    </form>
  );
}

interface PageProps {
  readonly pages: Pages;
  readonly chosen: string | undefined;
  readonly onRead: (tokens: readonly string[]) => void;
}

function Page({ pages: { tokens, tasks, next, total }, chosen, onRead }: PageProps) {
  if (tasks.length === 0)
    return <Notice>The agent has no such task. Send a message: most agents answer it with a task.</Notice>;
  return (
    <section class="panel" aria-label="Tasks">
      <div class="sideways">
        <table>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">State</th>
              <th scope="col">Changed</th>
              <th scope="col">Context</th>
            </tr>
          </thead>
          <tbody>
            {tasks.map((task) => (
              <tr key={task.id}>
                <td class="mono">
                  <a href={routeTo("tasks", task.id)} aria-current={task.id === chosen ? "true" : undefined}>
                    {task.id}
                  </a>
                </td>
                <td>
                  <StateBadge state={stateOfTask(task)} />
                </td>
                <td>{task.status?.timestamp === undefined ? "unknown" : timeText(task.status.timestamp)}</td>
                <td class="mono">{task.contextId}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="row">
        <Button disabled={tokens.length < 2} onClick={() => onRead(tokens.slice(0, -1))}>
          Previous page
        </Button>
        <Button disabled={next === ""} onClick={() => onRead([...tokens, next])}>
          Next page
        </Button>
        <span class="hint">
          Page {tokens.length}
          {total !== undefined &&
            `; ${total === 1 ? "1 task" : `${total.toLocaleString("en")} tasks`} in all`}
        </span>
      </div>
    </section>
  );
}
