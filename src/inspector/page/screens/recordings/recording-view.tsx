import { useState } from "preact/hooks";
import { eventsIn, summaryOf } from "../../../../recording/recorded-events.js";
import type { RecordedExchange } from "../../../../recording/recorded-exchange.js";
import { Badge } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { VirtualList } from "../../components/virtual-list.js";
import { closeRecording, type OpenRecording } from "../../recordings/recording-list.js";
import { timeText } from "../../time-text.js";
import { durationText } from "../../timeline/time-scale.js";

/** Height of an event in the list, in pixels. */
const ROW = 32;

/** A recording that is open: its exchanges, and what the agent has said in each. */
export function RecordingView({ recording: { id, name, file } }: { recording: OpenRecording }) {
  const { agent, recorded, exchanges } = file;
  return (
    <section class="panel" aria-label={`Recording ${name}`}>
      <header class="row end">
        <h2>{name}</h2>
        <Button isSmall onClick={() => closeRecording(id)}>
          Close
        </Button>
      </header>
      <p class="hint">
        {agent.name ?? agent.url}, begun {timeText(recorded)}, {exchanges.length}{" "}
        {exchanges.length === 1 ? "exchange" : "exchanges"}
      </p>
      {exchanges.map((exchange, index) => (
        <Exchange key={index} exchange={exchange} />
      ))}
    </section>
  );
}

function Exchange({ exchange }: { exchange: RecordedExchange }) {
  const [isOpen, setOpen] = useState(false);
  const { purpose, method, url, status, failure, times } = exchange;
  const isGood = failure === undefined && status > 0 && status < 400;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {times !== undefined && <span class="mono">+{durationText(times.started)} </span>}
        <strong>{purpose ?? method}</strong>{" "}
        <Badge tone={isGood ? "good" : "bad"}>{status || "no answer"}</Badge>{" "}
        <span class="hint">{failure ?? url}</span>
      </summary>
      {isOpen && <Events exchange={exchange} />}
    </details>
  );
}

function Events({ exchange }: { exchange: RecordedExchange }) {
  const events = eventsIn(exchange);
  return (
    <VirtualList
      label={events.length === 1 ? "1 event" : `${events.length} events`}
      rows={events}
      rowHeight={ROW}
      height={ROW * 10}
      row={({ id, at, value }) => (
        <div class="happening">
          <span class="mono when">{at === undefined ? "" : `+${durationText(at)}`}</span>
          <span class="mono generation">{id === undefined ? "" : `#${id}`}</span>
          <span class="what">{summaryOf(value)}</span>
        </div>
      )}
    />
  );
}
