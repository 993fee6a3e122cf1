import { useMemo, useState } from "preact/hooks";
import {
  type ComparedEvents,
  type ComparedExchanges,
  compareRecordings,
} from "../../../../recording/compare-recordings.js";
import { type RecordedEvent, summaryOf } from "../../../../recording/recorded-events.js";
import type { RecordingFile } from "../../../../recording/recording-file.js";
import { Badge, Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { durationText } from "../../timeline/time-scale.js";

/** Events of an exchange that are shown at first. */
const SHOWN = 100;

/** Two recordings, exchange by exchange and event by event. */
export function ComparisonView({ left, right }: { left: RecordingFile; right: RecordingFile }) {
  const pairs = useMemo(() => compareRecordings(left, right), [left, right]);
  const differing = pairs.filter(({ isSame }) => !isSame).length;
  return (
    <>
      <Notice tone={differing === 0 ? "good" : "warn"}>
        {differing === 0
          ? "Both runs say the same, apart from ids and times."
          : `${differing} of ${pairs.length} exchanges differ. Ids and times are not compared.`}
      </Notice>
      {pairs.map((pair, index) => (
        <Pair key={index} pair={pair} />
      ))}
    </>
  );
}

function Pair({ pair: { left, right, events, isSame } }: { pair: ComparedExchanges }) {
  const [isOpen, setOpen] = useState(!isSame);
  const name = (left ?? right)?.purpose ?? (left ?? right)?.method ?? "";
  const word = isSame ? "Same" : left === undefined || right === undefined ? "In one run only" : "Different";
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{name}</strong> <Badge tone={isSame ? "good" : "warn"}>{word}</Badge>{" "}
        <span class="hint">
          {statuses(left, right)}, {events.length === 1 ? "1 event" : `${events.length} events`}
        </span>
      </summary>
      {isOpen && <EventTable events={events} />}
    </details>
  );
}

function statuses(left: ComparedExchanges["left"], right: ComparedExchanges["right"]): string {
  const [one = "none", other = "none"] = [left?.status, right?.status];
  return one === other ? `status ${one}` : `status ${one} and ${other}`;
}

function EventTable({ events }: { events: readonly ComparedEvents[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? events : events.slice(0, SHOWN);
  return (
    <>
      <table class="compared">
        <thead>
          <tr>
            <th scope="col">One run</th>
            <th scope="col">The other</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ left, right, isSame }, index) => (
            <tr key={index} class={isSame ? undefined : "differs"}>
              <Cell event={left} />
              <Cell event={right} />
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < events.length && (
        <div>
          <Button isSmall onClick={() => setWhole(true)}>
            Show all {events.length} events
          </Button>
        </div>
      )}
    </>
  );
}

function Cell({ event }: { event: RecordedEvent | undefined }) {
  if (event === undefined) return <td class="hint">No event here</td>;
  return (
    <td>
      {event.at !== undefined && <span class="mono hint">+{durationText(event.at)} </span>}
      {summaryOf(event.value)}
    </td>
  );
}
