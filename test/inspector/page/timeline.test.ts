import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { LineConnection } from "../../../src/inspector/page/talk/line.js";
import type { Turn, TurnEvent } from "../../../src/inspector/page/talk/turn.js";
import { eventLine, happeningsOf } from "../../../src/inspector/page/timeline/happenings.js";
import {
  axisTicks,
  durationText,
  markPositions,
  timeScale,
} from "../../../src/inspector/page/timeline/time-scale.js";
import { turnTimeline } from "../../../src/inspector/page/timeline/turn-timeline.js";
import type { StreamResponse } from "../../../src/protocol/model.js";

const ids = { taskId: "t", contextId: "c" };
const status = (state: "TASK_STATE_WORKING" | "TASK_STATE_COMPLETED"): StreamResponse => ({
  statusUpdate: { ...ids, status: { state } },
});
const chunk = (text: string): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: { artifactId: "a", name: "Poem", parts: [{ text }] }, append: true },
});

function connection(from: number, to: number, more: Partial<LineConnection> = {}): LineConnection {
  return {
    ...{ startedAt: from, openedAt: from + 1, endedAt: to, exchange: 1, after: undefined, status: 200 },
    ...{ isStream: true, frames: [], droppedFrames: 0, end: "complete" as const, problem: undefined },
    ...more,
  };
}

/** A turn that was cut at 30 and resumed at 60 after event 2, with two events replayed and a third that came later. */
function cutTurn(): Turn {
  const begun: StreamResponse = {
    task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } },
  };
  const events: [number, StreamResponse, Partial<TurnEvent>?][] = [
    [10, begun],
    [20, chunk("one")],
    [62, chunk("two")],
    [62, chunk("three"), { gap: { reason: "missed", after: 2 } }],
    [200, status("TASK_STATE_COMPLETED")],
  ];
  const frame = (at: number, id: string | undefined) => ({ at, id, isHeartbeat: id === undefined });
  return {
    ...{ id: 1, message: undefined, taskId: "t", mode: "stream", startedAt: 0, endedAt: 210 },
    agentInterface: { url: "http://a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    events: events.map(([at, event, more], index) => ({
      ...{ at, event, generation: index + 1, gap: undefined },
      ...more,
    })),
    droppedEvents: 0,
    connections: [
      connection(1, 30, {
        end: "cut",
        problem: "cut",
        frames: [frame(10, "1"), frame(20, "2"), frame(25, undefined)],
      }),
      connection(60, 210, {
        after: "2",
        frames: [frame(62, "2"), frame(62, "3"), frame(63, "4"), frame(200, "5")],
      }),
    ],
    ...{ task: undefined, reply: undefined, problem: undefined },
  };
}

describe("a turn over time", () => {
  test("has states, artifacts that grow, connections, heartbeats and gaps", () => {
    const { states, artifacts, connections, heartbeats, gaps, latency } = turnTimeline(cutTurn(), 0);
    assert.deepEqual(states, [
      { state: "TASK_STATE_WORKING", from: 10, to: 200 },
      { state: "TASK_STATE_COMPLETED", from: 200, to: 210 },
    ]);
    assert.deepEqual(artifacts, [{ id: "a", name: "Poem", from: 20, to: 62, times: [20, 62, 62] }]);
    assert.deepEqual(
      connections.map(({ from, to, replayed }) => [from, to, replayed]),
      [
        [1, 30, 0],
        [60, 210, 2],
      ],
    );
    assert.deepEqual(heartbeats, [25]);
    assert.deepEqual(gaps, [62]);
    assert.deepEqual(latency, { first: 10, median: 42, longest: 138 });
  });

  test("says what happened in order, with the cut and what was replayed", () => {
    const turn = cutTurn();
    const said = happeningsOf(turn, turnTimeline(turn, 0)).map(
      ({ at, kind, text }) => `${at} ${kind} ${text}`,
    );
    assert.deepEqual(said, [
      "0 sent Subscription sent",
      "2 line Stream open",
      "10 event Task: Working",
      "20 event Artifact: more of Poem. one",
      "25 heartbeat Heartbeat",
      "30 cut Line broken: cut",
      "61 line Stream open again, from event 2 on; 2 missed events were replayed",
      "62 event Artifact: more of Poem. two",
      "62 gap Gap: events before the next one were missed",
      "62 event Artifact: more of Poem. three",
      "200 event Status: Completed",
      "210 end The stream has ended",
    ]);
  });

  test("names an artifact whose name came with an earlier chunk only", () => {
    const artifact = { artifactId: "a", parts: [{ text: "more" }] };
    const artifactUpdate = { taskId: "t", contextId: "c", artifact, append: true };
    assert.equal(eventLine({ artifactUpdate }, new Map([["a", "Poem"]])), "Artifact: more of Poem. more");
    assert.equal(eventLine({ artifactUpdate }), "Artifact: more of a. more");
  });

  test("shows a task without a status, and a state with the name of an inherited member", () => {
    const task = (status?: object) => ({ task: { id: "t", contextId: "c", status } }) as never;
    assert.equal(eventLine(task()), "Task: No state");
    assert.equal(eventLine(task({ state: "constructor" })), "Task: constructor");
    assert.equal(eventLine({ statusUpdate: { taskId: "t", contextId: "c" } } as never), "Status: No state");
  });

  test("that runs goes on until now", () => {
    const turn = { ...cutTurn(), endedAt: undefined };
    assert.equal(turnTimeline(turn, 500).to, 500);
    assert.equal(turnTimeline(turn, 500).states.at(-1)?.to, 500);
  });
});

test("a scale has round ticks, and many times on a pixel are one mark", () => {
  const scale = timeScale({ from: 1000, to: 2000 }, 500);
  assert.equal(scale.x(1500), 250);
  assert.deepEqual(
    axisTicks(scale).map(({ x, text }) => [x, text]),
    [
      [0, "0 ms"],
      [250, "500 ms"],
      [500, "1 s"],
    ],
  );
  const many = Array.from({ length: 10_000 }, (_, index) => 1000 + index / 10);
  assert.equal(markPositions(many, scale).length, 501);
  assert.equal(
    markPositions(many, scale).reduce((sum, { count }) => sum + count, 0),
    10_000,
  );
  assert.deepEqual([0, 12.34, 1500, 61_000].map(durationText), ["0 ms", "12.3 ms", "1.5 s", "1 min 1 s"]);
  assert.ok(Number.isFinite(timeScale({ from: 5, to: 5 }, 100).x(5)));
});
