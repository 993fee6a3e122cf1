import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Badge, Notice } from "../../components/badge.js";
import { Button } from "../../components/button.js";
import { Choice } from "../../components/field.js";
import { route, routeTo } from "../../route.js";
import { currentConversation, type OpenTurn } from "../../talk/conversation.js";
import type { LineConnection } from "../../talk/line.js";
import { durationText, timeScale } from "../../timeline/time-scale.js";
import { turnTimeline } from "../../timeline/turn-timeline.js";
import { DroppedEvents } from "../conversation/turn-view.js";
import { HappeningList } from "./happening-list.js";
import { TimelineChart, turnName } from "./timeline-chart.js";

/** Milliseconds between pictures while something runs. */
const TICK = 500;
/** Seconds for which the button cuts the line. */
const CUT = 3;

/** The conversation over time. */
export function TimelineScreen() {
  const turns = currentConversation.value.turns.value;
  const now = useNow(turns);
  if (turns.length === 0) return <Empty />;
  const chosen = turns.find(({ turn }) => String(turn.id) === route.value.rest[0]) ?? turns.at(-1);
  const shown = turns.map(({ turn }) => ({ turn, timeline: turnTimeline(turn, now) }));
  const detail = shown.find(({ turn }) => turn === chosen?.turn);
  return (
    <>
      <header class="stack">
        <h1>Time axis</h1>
        <p>
          Each message and its answer over time: the line with its heartbeats, the states of the task, and its
          artifacts as they grow. Choose one to see its events.
        </p>
      </header>
      <Chart shown={shown} selected={chosen?.turn.id} />
      <Legend />
      {chosen !== undefined && detail !== undefined && (
        <section class="stack" aria-label="The chosen turn">
          <header class="row end">
            <h2>{turnName(chosen.turn)}</h2>
            <LineActions open={chosen} />
          </header>
          <DroppedEvents turn={chosen.turn} />
          <Figures {...detail} />
          <HappeningList key={chosen.turn.id} {...detail} />
        </section>
      )}
    </>
  );
}

function Empty() {
  return (
    <>
      <h1>Time axis</h1>
      <Notice>
        <span>
          Nothing has happened yet. <a href={routeTo("talk")}>Say something to the agent</a>, and come back.
        </span>
      </Notice>
    </>
  );
}

/** The time, which moves while a turn runs, and with every change of one. */
function useNow(turns: readonly OpenTurn[]): number {
  const [, tick] = useState(0);
  for (const { turn } of turns) turn.changes.value;
  const isRunning = turns.some(({ turn }) => turn.endedAt === undefined);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => tick((count) => count + 1), TICK);
    return () => clearInterval(timer);
  }, [isRunning]);
  return Date.now();
}

type Shown = Parameters<typeof TimelineChart>[0]["turns"];

const zooms = [1, 2, 5, 20] as const;

function Chart({ shown, selected }: { shown: Shown; selected: number | undefined }) {
  const box = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(800);
  const [zoom, setZoom] = useState(1);
  const [isAlone, setAlone] = useState(false);
  useLayoutEffect(() => {
    const measure = () => setWidth(Math.max(320, (box.current?.clientWidth ?? 800) - 2));
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  const turns = isAlone ? shown.filter(({ turn }) => turn.id === selected) : shown;
  const from = Math.min(...turns.map(({ timeline }) => timeline.from));
  const to = Math.max(...turns.map(({ timeline }) => timeline.to));
  return (
    <>
      <div class="choices">
        <Choice
          label="Turns"
          value={isAlone ? "one" : "all"}
          options={[
            ["all", "All of the conversation"],
            ["one", "The chosen one"],
          ]}
          onValue={(value) => setAlone(value === "one")}
        />
        <Choice
          label="Zoom"
          value={String(zoom)}
          options={zooms.map((each) => [String(each), each === 1 ? "Fit the window" : `${each} times`])}
          onValue={(value) => setZoom(Number(value))}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll the picture */}
      <section class="panel chart" ref={box} tabIndex={0} aria-label="Picture of the time axis">
        <TimelineChart turns={turns} scale={timeScale({ from, to }, width * zoom)} selected={selected} />
      </section>
    </>
  );
}

const signs = [
  ["line", "Line open"],
  ["broken", "Line broken"],
  ["heartbeat", "Heartbeat"],
  ["chunk", "Chunk of an artifact"],
  ["gap", "Events were missed"],
] as const;

function Legend() {
  return (
    <ul class="legend" aria-label="Signs in the picture">
      {signs.map(([look, text]) => (
        <li key={look} class="row">
          <svg class="timeline" width={18} height={14} aria-hidden="true">
            {look === "heartbeat" && <circle class="heartbeat" cx={9} cy={7} r={3} />}
            {look === "chunk" && <rect class="chunk" x={8} y={1} width={2} height={12} />}
            {look === "gap" && <line class="gap" x1={9} x2={9} y1={0} y2={14} />}
            {(look === "line" || look === "broken") && (
              <rect class={`bar-of ${look}`} x={1} y={2} width={16} height={10} rx={3} />
            )}
          </svg>
          <span class="hint">{text}</span>
        </li>
      ))}
    </ul>
  );
}

function LineActions({ open: { turn, line, stop } }: { open: OpenTurn }) {
  if (turn.endedAt !== undefined) return <Badge>Ended</Badge>;
  return (
    <div class="row">
      <Button disabled={!line.isStreaming} onClick={() => line.cut(CUT * 1000)}>
        Cut the line for {CUT} seconds
      </Button>
      <Button onClick={stop}>Stop reading</Button>
      {!line.isStreaming && <span class="hint">{whyNotCut(line.connections.at(-1))}</span>}
    </div>
  );
}

/** Why there is nothing to cut: only a stream can be resumed. */
function whyNotCut(last: LineConnection | undefined): string {
  if (last === undefined || last.endedAt !== undefined) return "The line is not open.";
  if (last.openedAt === undefined) return "The agent has not answered yet.";
  return "Only a stream can be cut: this call has a single answer.";
}

function Figures({ turn, timeline: { latency, connections, heartbeats, gaps } }: Shown[number]) {
  const none = turn.endedAt === undefined ? "none yet" : "none";
  const time = (value: number | undefined) => (value === undefined ? none : durationText(value));
  const isPartial = connections.some(({ connection }) => connection.droppedFrames > 0);
  const resumed = connections.filter(({ connection }) => connection.after !== undefined);
  const figures: readonly (readonly [name: string, value: string])[] = [
    ["To the first event", time(latency.first)],
    ["Between events, median", time(latency.median)],
    ["Between events, longest", time(latency.longest)],
    ["Events", (turn.events.length + turn.droppedEvents).toLocaleString("en")],
    ["Heartbeats", `${heartbeats.length}${isPartial ? " of those that are kept" : ""}`],
    ["Connections", String(connections.length)],
    ["Resumed", String(resumed.length)],
    ["Replayed events", String(resumed.reduce((sum, { replayed }) => sum + replayed, 0))],
    ["Gaps", String(gaps.length)],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
