import assert from "node:assert/strict";
import { test } from "vitest";
import { compareRecordings } from "../../src/recording/compare-recordings.js";
import { eventsIn, summaryOf } from "../../src/recording/recorded-events.js";
import type { RecordedExchange } from "../../src/recording/recorded-exchange.js";
import { type RecordingFile, readRecording, writeRecording } from "../../src/recording/recording-file.js";
import { agent, exchange } from "./exchange.js";

/** A stream of JSON-RPC with these results. */
function streamOf(...results: object[]): RecordedExchange {
  const frames = results.map(
    (result, at) => `id: ${at + 1}\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`,
  );
  let length = 0;
  const pieces = frames.map((frame, at): [number, number] => {
    length += frame.length;
    return [at * 10, length];
  });
  return exchange({
    headers: { "Content-Type": "text/event-stream" },
    answer: frames.join(""),
    purpose: "SendStreamingMessage",
    times: { started: 0, answered: 0, ended: 100, pieces },
  });
}

function run(taskId: string, ...texts: string[]): RecordedExchange {
  const status = (state: string, text?: string) => ({
    statusUpdate: {
      ...{ taskId, contextId: `context of ${taskId}` },
      status: {
        state,
        timestamp: `2025-01-01T00:00:00.${taskId.length}Z`,
        ...(text !== undefined && { message: { messageId: `${taskId} ${text}`, parts: [{ text }] } }),
      },
    },
  });
  return streamOf(...texts.map((text) => status("TASK_STATE_WORKING", text)), status("TASK_STATE_COMPLETED"));
}

function fileOf(...exchanges: RecordedExchange[]): RecordingFile {
  return readRecording(writeRecording({ agent, exchanges }));
}

test("a recording is read as it was written", () => {
  const recorded = new Date("2025-03-01T10:00:00Z");
  const exchanges = [run("t1", "Looking"), exchange({ status: 404, over: "GRPC", failure: "cut" })];
  const text = writeRecording({ agent: { ...agent, name: "Desk" }, exchanges, recorded });
  const file = readRecording(text);
  assert.deepEqual(file, {
    ...{ recording: 1, recorded: "2025-03-01T10:00:00.000Z", agent: { ...agent, name: "Desk" } },
    exchanges: JSON.parse(JSON.stringify(exchanges.map((one) => ({ ...one, url: `${one.url}/` })))),
  });
});

test("what is no recording is refused with the place of the fault", () => {
  const valid = JSON.parse(writeRecording({ agent, exchanges: [exchange()] }));
  const faults: [change: object, message: RegExp][] = [
    [{ recording: 2 }, /version 2 of the format, and this program reads version 1/],
    [{ recording: undefined }, /is not a recording/],
    [{ recorded: "yesterday" }, /recorded must be a time/],
    [{ agent: {} }, /agent\.url must be a string/],
    [{ exchanges: {} }, /exchanges must be a list/],
    [{ exchanges: [exchange(), 1] }, /exchanges\[1\] must be an object/],
    [{ exchanges: [{ ...exchange(), answer: 1 }] }, /exchanges\[0\]\.answer must be a string/],
    [{ exchanges: [{ ...exchange(), status: "200" }] }, /exchanges\[0\]\.status must be a number/],
    [{ exchanges: [exchange(), exchange({ url: "/rpc" })] }, /exchanges\[1\]\.url must be an absolute URL/],
    [{ exchanges: [exchange({ url: "" })] }, /exchanges\[0\]\.url must be an absolute URL/],
    [{ exchanges: [{ ...exchange(), url: 1 }] }, /exchanges\[0\]\.url must be a string/],
    [{ exchanges: [{ ...exchange(), times: {} }] }, /exchanges\[0\]\.times\.started/],
  ];
  for (const [change, message] of faults)
    assert.throws(() => readRecording(JSON.stringify({ ...valid, ...change })), {
      name: "TypeError",
      message,
    });
  assert.throws(() => readRecording("{"), /not JSON/);
});

test("a recording is written from a list of exchanges only", () => {
  for (const [exchanges, given] of [
    [{}, "an object"],
    [undefined, "undefined"],
    [Promise.resolve([]), "a promise: put `await` before it"],
  ] as const)
    assert.throws(() => writeRecording({ agent, exchanges: exchanges as never }), {
      name: "TypeError",
      message: `writeRecording needs { agent: { url }, exchanges }: exchanges must be a list, not ${given}`,
    });
});

test("an answer whose text has become shorter has no places of pieces any more", () => {
  const stream = streamOf({ task: { id: "t", token: "a-long-token-that-goes" } });
  const [cleaned] = fileOf(stream).exchanges;
  assert.equal(cleaned?.times?.pieces, undefined);
  assert.deepEqual(
    eventsIn(cleaned as RecordedExchange).map(({ at }) => at),
    [100],
  );
  assert.deepEqual(fileOf(run("t1", "a")).exchanges[0]?.times?.pieces?.length, 2);
});

test("the events of a stream have their ids and times, and no envelope", () => {
  const events = eventsIn(run("t1", "Looking", "Writing"));
  assert.deepEqual(
    events.map(({ id, at, value }) => [id, at, summaryOf(value)]),
    [
      ["1", 0, "status WORKING: Looking"],
      ["2", 10, "status WORKING: Writing"],
      ["3", 20, "status COMPLETED"],
    ],
  );
  assert.deepEqual(eventsIn(exchange({ answer: "" })), []);
  assert.deepEqual(
    eventsIn(exchange({ answer: "no JSON" })).map(({ value }) => summaryOf(value)),
    ["no JSON"],
  );
});

test("events of every version are told in the same words", () => {
  const told: [value: object, words: string][] = [
    [{ task: { id: "t", status: { state: "TASK_STATE_SUBMITTED" } } }, "task SUBMITTED"],
    [{ kind: "task", id: "t", status: { state: "input-required" } }, "task INPUT_REQUIRED"],
    [{ id: "t", sessionId: "s", status: { state: "completed" } }, "task COMPLETED"],
    [{ kind: "status-update", taskId: "t", status: { state: "working" } }, "status WORKING"],
    [{ id: "t", final: true, status: { state: "working" } }, "task WORKING"],
    [
      { artifactUpdate: { taskId: "t", artifact: { name: "a", parts: [{ text: "4" }, { text: "2" }] } } },
      "artifact a: 42",
    ],
    [{ kind: "artifact-update", artifact: { parts: [{ kind: "text", text: "x" }] } }, "artifact : x"],
    [{ message: { messageId: "m", parts: [{ text: "Hi" }] } }, "message: Hi"],
    [{ kind: "message", parts: [] }, "message"],
    [{ error: { code: -32001, message: "Task not found" } }, "error Task not found"],
    [{ tasks: [], nextPageToken: "" }, "tasks, nextPageToken"],
  ];
  for (const [value, words] of told) assert.equal(summaryOf(value), words, JSON.stringify(value));
  assert.equal(summaryOf({ message: { parts: [{ text: "x".repeat(500) }] } }).length, 130);
});

test("two runs with other ids and times are the same", () => {
  const pairs = compareRecordings(fileOf(run("t1", "a", "b")), fileOf(run("task-2", "a", "b")));
  assert.deepEqual(
    pairs.map(({ isSame, events }) => [isSame, events.length]),
    [[true, 3]],
  );
});

test("an event that is new, gone or changed is told from those that are the same", () => {
  const rows = (left: string[], right: string[]) =>
    compareRecordings(fileOf(run("t1", ...left)), fileOf(run("t2", ...right))).flatMap(({ events }) =>
      events.map(({ left: one, right: other, isSame }) => {
        const [a, b] = [one && summaryOf(one.value).slice(16), other && summaryOf(other.value).slice(16)];
        return isSame ? a : `${a ?? ""}|${b ?? ""}`;
      }),
    );
  assert.deepEqual(
    rows(["a", "b", "c"], ["a", "x", "b", "c"]),
    ["a", "|x", "b", "c", "ED"].map((x) => (x === "ED" ? "" : x)),
  );
  assert.deepEqual(rows(["a", "b", "c"], ["a", "c"]), ["a", "b|", "c", ""]);
  assert.deepEqual(rows(["a", "b", "c"], ["a", "y", "c"]), ["a", "b|y", "c", ""]);
});

test("another task than before is a difference, although ids differ from run to run", () => {
  const same = fileOf(run("t1", "a"), run("t1", "b"));
  const other = fileOf(run("u1", "a"), run("u2", "b"));
  assert.deepEqual(
    compareRecordings(same, other).map(({ isSame }) => isSame),
    [true, false],
  );
});

test("exchanges are paired by what they are for", () => {
  const list = exchange({ purpose: "ListTasks" });
  const pairs = compareRecordings(fileOf(run("t1", "a"), list), fileOf(list));
  assert.deepEqual(
    pairs.map(({ left, right, isSame }) => [left?.purpose, right?.purpose, isSame]),
    [
      ["SendStreamingMessage", undefined, false],
      ["ListTasks", "ListTasks", true],
    ],
  );
  const get = (request: string, status = 200) => exchange({ request, status });
  const [pair] = compareRecordings(
    fileOf(get('{"method":"GetTask"}')),
    fileOf(get('{"method":"GetTask"}', 404)),
  );
  assert.equal(pair?.isSame, false, "another status");
});

test("ten thousand events are compared in time", () => {
  const texts = Array.from({ length: 10_000 }, (_, at) => `text ${at}`);
  const changed = texts.map((text, at) => (at % 100 === 50 ? `${text} changed` : text));
  const [pair] = compareRecordings(fileOf(run("t1", ...texts)), fileOf(run("t2", ...changed)));
  assert.equal(pair?.events.filter(({ isSame }) => !isSame).length, 100);
});
