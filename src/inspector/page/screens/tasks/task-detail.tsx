import { useEffect, useState } from "preact/hooks";
import type { Client } from "../../../../client/client.js";
import type { Task } from "../../../../protocol/model.js";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { DataTree } from "../../components/data-tree.js";
import { download } from "../../components/download.js";
import { useKeptFocus } from "../../components/kept-focus.js";
import { routeTo } from "../../route.js";
import { problemOf } from "../../session/current-agent.js";
import { stateOfTask, taskHasEnded } from "../../talk/state-words.js";
import { LogSlider } from "./log-slider.js";
import { StateBadge } from "./state-badge.js";
import { type LoggedEvent, readTaskLog } from "./task-log.js";

/** Properties of {@link TaskDetail}. */
export interface TaskDetailProps {
  readonly client: Client;
  readonly id: string;
}

/** A task as it is now, and at every point of its log. */
export function TaskDetail({ client, id }: TaskDetailProps) {
  const [task, setTask] = useState<Task>();
  const [problem, setProblem] = useState<string>();
  const read = () =>
    client.getTask({ id }).then(
      (found) => {
        setTask(found as Task);
        setProblem(undefined);
      },
      (error: unknown) => setProblem(problemOf(error)),
    );
  const cancel = () =>
    client.cancelTask({ id }).then(
      (found) => setTask(found as Task),
      (error: unknown) => setProblem(problemOf(error)),
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the task is read once for each id
  useEffect(() => void read(), []);
  const canCancel = task !== undefined && !taskHasEnded(task);
  const place = useKeptFocus<HTMLElement>(!canCancel, (panel) => panel.querySelector<HTMLElement>(".row"));
  return (
    <section ref={place} class="panel" aria-label={`Task ${id}`}>
      <div class="row" tabIndex={-1}>
        <h2 class="mono">{id}</h2>
        {task !== undefined && <StateBadge state={stateOfTask(task)} />}
      </div>
      <div class="row">
        <Button onClick={() => void read()}>Read it again</Button>
        {canCancel && <Button onClick={() => void cancel()}>Cancel the task</Button>}
        <a class="button" href={routeTo("operations", "GetTask", id)}>
          Use in an operation
        </a>
        {task !== undefined && (
          <Button
            onClick={() =>
              download({
                content: JSON.stringify(task, undefined, 2),
                mediaType: "application/json",
                name: `task-${id}.json`,
              })
            }
          >
            Save
          </Button>
        )}
      </div>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {task !== undefined && <Log client={client} id={id} task={task} />}
    </section>
  );
}

/** The log of the task; without one the task as it is. */
function Log({ client, id, task }: TaskDetailProps & { readonly task: Task }) {
  const [events, setEvents] = useState<readonly LoggedEvent[]>([]);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    readTaskLog({ client, taskId: id, cancel: leaving.signal, publish: setEvents }).catch(
      (error: unknown) => {
        if (!leaving.signal.aborted) setProblem(problemOf(error));
      },
    );
    return () => leaving.abort();
  }, [client, id]);
  if (events.length > 0) return <LogSlider events={events} />;
  return (
    <>
      {problem !== undefined && (
        <p class="hint">
          The agent no longer gives a log of this task, or never did, so you see the task as it is now. It
          said: {problem}
        </p>
      )}
      <DataTree label="Task" value={task} />
    </>
  );
}
