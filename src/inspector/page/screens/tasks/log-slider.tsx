import { useId, useState } from "preact/hooks";
import { Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { DataTree } from "../../components/data-tree.js";
import { stateOfTask } from "../../talk/state-words.js";
import { eventLine } from "../../timeline/happenings.js";
import { StateBadge } from "./state-badge.js";
import { type LoggedEvent, logGap, taskAfter } from "./task-log.js";

/** A task at the point of its log that the slider names. */
export function LogSlider({ events }: { events: readonly LoggedEvent[] }) {
  const id = useId();
  const [chosen, choose] = useState<number>();
  const count = Math.min(chosen ?? events.length, events.length);
  const current = events[count - 1];
  const task = taskAfter(events, count);
  const gap = logGap(events);
  const move = (to: number) => choose(to >= events.length ? undefined : Math.max(1, to));
  return (
    <div class="stack">
      {gap !== undefined && <Notice tone="warn">{gap}</Notice>}
      <label for={id} class="label">
        Point of the log
      </label>
      <input
        id={id}
        class="slider"
        type="range"
        min={1}
        max={events.length}
        value={count}
        aria-valuetext={`Event ${count} of ${events.length}: ${current === undefined ? "" : eventLine(current.event)}`}
        onInput={(event) => move(Number(event.currentTarget.value))}
      />
      <div class="row">
        <Button isSmall disabled={count <= 1} onClick={() => move(count - 1)}>
          Back
        </Button>
        <Button isSmall disabled={count >= events.length} onClick={() => move(count + 1)}>
          Forward
        </Button>
        <strong>
          {current?.generation === undefined ? `Event ${count}` : `Generation ${current.generation}`} of{" "}
          {events.at(-1)?.generation ?? events.length}
        </strong>
        {current !== undefined && <span>{eventLine(current.event)}</span>}
      </div>
      <div class="columns">
        <section class="stack">
          <h3>The task at this point {task !== undefined && <StateBadge state={stateOfTask(task)} />}</h3>
          <DataTree key={`task ${count}`} label="The task at this point" value={task} />
        </section>
        <section class="stack">
          <h3>The event at this point</h3>
          <DataTree key={`event ${count}`} label="The event" value={current?.event} />
        </section>
      </div>
    </div>
  );
}
