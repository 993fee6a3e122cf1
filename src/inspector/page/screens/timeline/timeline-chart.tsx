import { routeTo } from "../../route.js";
import { stateWord } from "../../talk/state-words.js";
import type { Turn } from "../../talk/turn.js";
import { axisTicks, durationText, markPositions, type TimeScale } from "../../timeline/time-scale.js";
import type { ConnectionSpan, TurnTimeline } from "../../timeline/turn-timeline.js";

/** A turn and its times. */
export interface ChartTurn {
  readonly turn: Turn;
  readonly timeline: TurnTimeline;
}

/** Pixels: of a lane, of the name above the lanes of a turn, of the name above an artifact, of the axis, and between turns. */
const LANE = 22;
const NAME = 24;
const ARTIFACT_NAME = 16;
const AXIS = 24;
const SPACE = 10;
/** Pixels of a letter, by which labels are left out where they do not fit. */
const LETTER = 7;

/** Properties of a {@link TimelineChart}. */
export interface TimelineChartProps {
  readonly turns: readonly ChartTurn[];
  readonly scale: TimeScale;
  readonly selected: number | undefined;
}

/** Turns over time: the line, the states of the task, and its artifacts. It is drawn with attributes and classes only. */
export function TimelineChart({ turns, scale, selected }: TimelineChartProps) {
  const heights = turns.map(({ timeline }) => heightOf(timeline));
  const height = AXIS + heights.reduce((sum, each) => sum + each, 0);
  let top = AXIS;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold a picture
    <svg
      class="timeline"
      width={scale.width}
      height={height}
      viewBox={`0 0 ${scale.width} ${height}`}
      role="group"
      aria-label="Turns over time"
    >
      <g class="axis">
        {axisTicks(scale).map(({ x, text }) => (
          <g key={text}>
            <line x1={x} x2={x} y1={AXIS - 4} y2={height} />
            {x + 3 + text.length * LETTER <= scale.width && (
              <text x={x + 3} y={AXIS - 8}>
                {text}
              </text>
            )}
          </g>
        ))}
      </g>
      {turns.map((each, index) => {
        const place = top;
        top += heights[index] ?? 0;
        return (
          <TurnLanes
            key={each.turn.id}
            of={each}
            top={place}
            scale={scale}
            isSelected={each.turn.id === selected}
          />
        );
      })}
    </svg>
  );
}

function heightOf({ artifacts }: TurnTimeline): number {
  return NAME + LANE * 2 + (ARTIFACT_NAME + LANE) * artifacts.length + SPACE;
}

interface LanesProps {
  readonly of: ChartTurn;
  readonly top: number;
  readonly scale: TimeScale;
  readonly isSelected: boolean;
}

function TurnLanes({ of: { turn, timeline }, top, scale, isSelected }: LanesProps) {
  const name = turnName(turn);
  const lane = (index: number) => top + NAME + index * LANE;
  const artifactLane = (index: number) => lane(2) + index * (ARTIFACT_NAME + LANE) + ARTIFACT_NAME;
  return (
    <g class="turn-lanes">
      <a href={routeTo("time", String(turn.id))} aria-current={isSelected ? "true" : undefined}>
        <rect
          class={isSelected ? "ground selected" : "ground"}
          x={0}
          y={top}
          width={scale.width}
          height={heightOf(timeline) - 4}
          rx={4}
        />
        <text class="turn-name" x={6} y={top + 16}>
          {name}
        </text>
      </a>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group of marks is not interactive */}
      <g role="img" aria-label={summaryOf(timeline)}>
        <Line timeline={timeline} y={lane(0)} scale={scale} />
        {timeline.states.map(({ from, to, state }, index) => {
          const { text, tone } = stateWord(state);
          return (
            <Bar
              key={index}
              look={`state ${tone}`}
              text={text}
              from={from}
              to={to}
              y={lane(1)}
              scale={scale}
            />
          );
        })}
        {timeline.artifacts.map(({ id, name: label, from, to, times }, index) => (
          <g key={id}>
            <Bar look="grows" text="" from={from} to={to} y={artifactLane(index)} scale={scale} />
            {markPositions(times, scale).map(({ x, count }) => (
              <rect
                key={x}
                class="chunk"
                x={x}
                y={artifactLane(index) + (count > 3 ? 3 : 6)}
                width={1.5}
                height={count > 3 ? 16 : 10}
              />
            ))}
            <ArtifactName
              name={label}
              chunks={times.length}
              x={scale.x(from)}
              y={artifactLane(index) - 4}
              width={scale.width}
            />
          </g>
        ))}
        {timeline.gaps.map((at, index) => (
          <line
            key={index}
            class="gap"
            x1={scale.x(at)}
            x2={scale.x(at)}
            y1={lane(0)}
            y2={top + heightOf(timeline) - 6}
          />
        ))}
      </g>
    </g>
  );
}

interface ArtifactNameProps {
  readonly name: string;
  readonly chunks: number;
  /** Where the artifact begins. */
  readonly x: number;
  /** Line on which the text stands. */
  readonly y: number;
  /** Width of the picture. */
  readonly width: number;
}

/** The name of an artifact, above the marks of its chunks. It begins with the artifact, or further left where there is too little room. */
function ArtifactName({ name, chunks, x, y, width }: ArtifactNameProps) {
  const text = `${name}: ${chunks === 1 ? "1 chunk" : `${chunks.toLocaleString("en")} chunks`}`;
  return (
    <text class="artifact-name" x={Math.max(0, Math.min(x, width - text.length * LETTER))} y={y}>
      {text}
    </text>
  );
}

function Line({ timeline, y, scale }: { timeline: TurnTimeline; y: number; scale: TimeScale }) {
  const { connections, heartbeats } = timeline;
  return (
    <>
      {connections.map((span, index) => {
        const before = connections[index - 1];
        return (
          <g key={index}>
            {before?.connection.isStream && span.from > before.to && (
              <Bar look="broken" text="broken" from={before.to} to={span.from} y={y} scale={scale} />
            )}
            <Bar
              look={span.connection.end === "failed" ? "line failed" : "line"}
              text={lineLabel(span)}
              from={span.from}
              to={span.to}
              y={y}
              scale={scale}
            />
          </g>
        );
      })}
      {markPositions(heartbeats, scale).map(({ x }) => (
        <circle key={x} class="heartbeat" cx={x} cy={y + 10} r={3} />
      ))}
    </>
  );
}

function lineLabel({ connection: { after, isStream }, replayed }: ConnectionSpan): string {
  if (!isStream) return "call";
  return after === undefined ? "line" : `resumed after ${after}, ${replayed} replayed`;
}

interface BarProps {
  readonly look: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly scale: TimeScale;
}

function Bar({ look, text, from, to, y, scale }: BarProps) {
  const x = scale.x(from);
  const width = Math.max(2, scale.x(to) - x);
  return (
    <>
      <rect class={`bar-of ${look}`} x={x} y={y + 2} width={width} height={LANE - 4} rx={3}>
        <title>{`${text}, ${durationText(to - from)}`}</title>
      </rect>
      {width > text.length * LETTER + 8 && (
        <text class={`on-bar ${look}`} x={x + 5} y={y + 15}>
          {text}
        </text>
      )}
    </>
  );
}

/** The beginning of the message of a turn. */
export function turnName({ id, message, mode }: Turn): string {
  const text = message?.parts.find((part) => part.text !== undefined)?.text ?? "";
  if (mode === "subscribe") return `${id}. Watching the task`;
  return `${id}. ${text === "" ? "A message without text" : text.slice(0, 60)}`;
}

function summaryOf({ from, to, states, artifacts, connections, heartbeats, gaps }: TurnTimeline): string {
  const path = states.map(({ state }) => stateWord(state).text).join(", then ");
  const counts = [
    [connections.length, "connection"],
    [artifacts.length, "artifact"],
    [heartbeats.length, "heartbeat"],
    [gaps.length, "gap"],
  ].map(([count, name]) => `${count} ${name}${count === 1 ? "" : "s"}`);
  return `${durationText(to - from)}. ${path || "No task"}. ${counts.join(", ")}.`;
}
