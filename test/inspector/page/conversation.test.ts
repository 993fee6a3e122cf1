import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { partKind, rawSize, sizeText } from "../../../src/inspector/page/parts/part-kind.js";
import {
  commandIn,
  dataPartOf,
  draftParts,
} from "../../../src/inspector/page/screens/conversation/draft-parts.js";
import { skillFormOf } from "../../../src/inspector/page/skills/skill-form-schema.js";
import { earlierTask, joinedParts, tasksOf, turnAnswer } from "../../../src/inspector/page/talk/answer.js";
import { Line } from "../../../src/inspector/page/talk/line.js";
import { turnsToDrop } from "../../../src/inspector/page/talk/room.js";
import { LiveTurn, type Turn } from "../../../src/inspector/page/talk/turn.js";
import type { StreamResponse, Task } from "../../../src/protocol/model.js";

const task = (state: Task["status"]["state"], more: Partial<Task> = {}): Task => ({
  ...{ id: "t1", contextId: "c1", status: { state, timestamp: "2026-01-01T00:00:00Z" } },
  ...more,
});

function turn(events: readonly StreamResponse[], more: Partial<Turn> = {}): Turn {
  return {
    ...{ id: 1, message: undefined, taskId: undefined, mode: "stream" as const, startedAt: 0, endedAt: 9 },
    agentInterface: { url: "http://a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    events: events.map((event, at) => ({ at, event, generation: undefined, gap: undefined })),
    droppedEvents: 0,
    ...{ connections: [], task: events.at(-1)?.task, reply: undefined, problem: undefined },
    ...more,
  };
}

describe("what the page keeps", () => {
  const live = () =>
    new LiveTurn({
      ...{ id: 1, message: undefined, taskId: undefined, mode: "stream", connections: [] },
      agentInterface: { url: "http://a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    });
  const chunk = (text: string): StreamResponse => ({
    artifactUpdate: { taskId: "t1", contextId: "c1", artifact: { artifactId: "a", parts: [{ text }] } },
  });

  test("of a turn are its first event and its last ones, at most 20,000, and it knows how many left", () => {
    const one = live();
    one.add({ task: task("TASK_STATE_WORKING") });
    for (let count = 0; count < 50_000; count += 1) one.add(chunk(String(count)));
    assert.ok(one.events.length <= 20_000, String(one.events.length));
    assert.equal(one.events.length + one.droppedEvents, 50_001);
    assert.notEqual(one.events[0]?.event.task, undefined);
    assert.equal(one.events.at(-1)?.event.artifactUpdate?.artifact.parts[0]?.text, "49999");
  });

  test("of a turn with large events is bounded by their size, and the newest stays whatever its size", () => {
    const one = live();
    one.add({ task: task("TASK_STATE_WORKING") });
    for (let count = 0; count < 40; count += 1) one.add(chunk("x".repeat(1024 * 1024)));
    assert.ok(one.events.length < 18, String(one.events.length));
    one.add(chunk("y".repeat(20 * 1024 * 1024)));
    assert.equal(one.events.length, 2);
    assert.equal(one.events.length + one.droppedEvents, 42);
  });

  test("are the newest turns, and those that run or are looked at", () => {
    const turns = (count: number, held: number) =>
      Array.from({ length: count }, (_, id) => ({ id, endedAt: id === 1 ? undefined : 9, held }));
    assert.equal(turnsToDrop(turns(500, 1), 499).size, 0);
    assert.deepEqual([...turnsToDrop(turns(503, 1), 502)], [0, 2, 3]);
    const mib = 1024 * 1024;
    assert.deepEqual([...turnsToDrop(turns(5, 30 * mib), 4)], [0, 2, 3]);
    assert.deepEqual([...turnsToDrop([{ id: 7, endedAt: 9, held: 100 * mib }], 7)], []);
  });

  test("of the frames of a line are the first of each connection and the last ones", async () => {
    let body = Array.from({ length: 30_000 }, (_, id) => `id: ${id}\ndata: {}\n\n`).join("");
    const headers = { "Content-Type": "text/event-stream" };
    const line = new Line({
      send: () => async () => new Response(body, { headers }),
      onChange: () => undefined,
    });
    for (let count = 0; count < 3; count += 1) await (await line.fetch("http://a/")).text();
    const kept = line.connections.map(({ frames }) => frames.length);
    assert.deepEqual(kept.slice(0, 2), [1000, 1000]);
    for (const { frames, droppedFrames } of line.connections) {
      assert.equal(frames[999]?.id, "999");
      assert.equal(frames.length + droppedFrames, 30_000);
      assert.ok(frames.length <= 20_000, String(frames.length));
    }
    body = "";
    for (let count = 0; count < 198; count += 1) await (await line.fetch("http://a/")).text();
    assert.equal(line.connections.length, 200);
  });
});

test("texts that follow each other are one, and other parts stay between them", () => {
  const parts = [
    { text: "a" },
    { text: "b" },
    { data: 1 },
    { text: "c", mediaType: "text/plain" },
    { text: "d" },
  ];
  assert.deepEqual(joinedParts(parts), [
    { text: "ab" },
    { data: 1 },
    { text: "c", mediaType: "text/plain" },
    { text: "d" },
  ]);
});

describe("the answer of a turn", () => {
  const question = { messageId: "m1", role: "ROLE_AGENT" as const, parts: [{ text: "Which?" }] };
  const status = { state: "TASK_STATE_INPUT_REQUIRED" as const, message: question };

  test("has each state once in order, and a message once though a snapshot repeats it", () => {
    const update = { statusUpdate: { taskId: "t1", contextId: "c1", status } };
    const events = [
      { task: task("TASK_STATE_WORKING") },
      update,
      { task: task("TASK_STATE_WORKING", { status }) },
    ];
    const { states, messages } = turnAnswer(turn(events));
    assert.deepEqual(states, ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"]);
    assert.deepEqual(messages, [{ message: question, state: "TASK_STATE_INPUT_REQUIRED" }]);
  });

  test("leaves out what an earlier turn has shown, and has what grew", () => {
    const old = { artifactId: "a", parts: [{ text: "1" }] };
    const grown = { artifactId: "b", parts: [{ text: "2" }] };
    const before = task("TASK_STATE_INPUT_REQUIRED", { status, artifacts: [old, grown] });
    const more = { artifactId: "b", parts: [{ text: "2" }, { text: "3" }] };
    const after = task("TASK_STATE_COMPLETED", { artifacts: [{ ...old }, more] });
    const first = turn([{ task: before }]);
    const second = turn([{ task: before }, { task: after }], { id: 2, taskId: "t1" });
    assert.equal(earlierTask([first, second], second), before);
    const { messages, artifacts } = turnAnswer(second, before);
    assert.deepEqual(messages, []);
    assert.deepEqual(artifacts, [more]);
  });

  test("knows a task by the turn that has heard of it last", () => {
    const working = turn([{ task: task("TASK_STATE_WORKING") }]);
    const done = turn([{ task: task("TASK_STATE_WORKING") }, { task: task("TASK_STATE_COMPLETED") }], {
      id: 2,
    });
    for (const turns of [
      [working, done],
      [done, working],
    ])
      assert.deepEqual(
        tasksOf(turns).map(({ status: { state } }) => state),
        ["TASK_STATE_COMPLETED"],
      );
  });
});

test("only what cannot contain scripts is shown; the rest is a file", () => {
  const kinds: [Parameters<typeof partKind>[0], string][] = [
    [{ text: "a" }, "markdown"],
    [{ text: "a", mediaType: "text/plain" }, "text"],
    [{ text: "<b>", mediaType: "text/html" }, "text"],
    [{ raw: "AAAA", mediaType: "image/PNG; q=1" }, "image"],
    [{ raw: "AAAA", mediaType: "image/svg+xml" }, "file"],
    [{ raw: "AAAA", mediaType: "application/pdf" }, "file"],
    [{ raw: "AAAA", mediaType: "audio/wav" }, "audio"],
    [{ raw: "AAAA" }, "file"],
    [{ url: "javascript:alert(1)", mediaType: "image/png" }, "link"],
    [{ data: null }, "data"],
  ];
  for (const [part, kind] of kinds) assert.equal(partKind(part), kind, JSON.stringify(part));
  assert.equal(rawSize("AAAA"), 3);
  assert.equal(rawSize("AA=="), 1);
  assert.deepEqual([1, 12, 3400, 120_000, 5_300_000].map(sizeText), [
    "1 byte",
    "12 bytes",
    "3.4 kB",
    "120 kB",
    "5.3 MB",
  ]);
});

test("a message is its text and what is attached; two words are commands", () => {
  assert.deepEqual(draftParts(" ", [{ data: 1 }]), [{ data: 1 }]);
  assert.deepEqual(draftParts("hi", [{ data: 1 }]), [{ text: "hi" }, { data: 1 }]);
  assert.deepEqual([" /new ", "/cancel", "/newer", "new"].map(commandIn), [
    "new",
    "cancel",
    undefined,
    undefined,
  ]);
  assert.deepEqual(dataPartOf("null"), { data: null });
  assert.equal(dataPartOf("{"), undefined);
});

describe("the form of a skill", () => {
  test("has fields for what forms know, JSON for the rest, and begins with what is required", () => {
    const { node, document, start, check } = skillFormOf({
      type: "object",
      required: ["kind", "size", "stops"],
      properties: {
        kind: { enum: ["boat", "car"] },
        size: { $ref: "#/$defs/Size" },
        stops: { type: "array", minItems: 1, items: { type: "string" } },
        extra: { anyOf: [{ type: "string" }, { type: "number" }] },
        days: { type: ["integer", "null"], default: 2 },
      },
      $defs: { Size: { type: "number", minimum: 3 } },
    });
    assert.deepEqual(node?.properties?.kind, { enum: ["boat", "car"] });
    assert.deepEqual(node?.properties?.extra, {});
    assert.equal(node?.properties?.days?.type, "integer");
    assert.deepEqual(document.$defs.Size, { type: "number", minimum: 3 });
    assert.deepEqual(start, { kind: "boat", size: 3, stops: [""], days: 2 });
    assert.deepEqual(check(start), []);
    const [problem] = check({ kind: "boat", size: 3, stops: [5] });
    assert.deepEqual(problem?.path, ["stops", 0]);
  });

  test("of an input that is no object is JSON, and a schema that requires itself or is broken does no harm", () => {
    assert.equal(skillFormOf({ type: "string" }).node, undefined);
    const endless = { type: "object", required: ["a"], properties: { a: { $ref: "#/$defs/A" } } };
    const form = skillFormOf({ ...endless, $defs: { A: endless } });
    assert.deepEqual(form.start, {});
    assert.match(skillFormOf({ $ref: "https://x/y" }).check(1)[0]?.message ?? "", /cannot be used/);
  });
});

describe("the line of a turn", () => {
  const stream = () => {
    let push: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        push = controller;
      },
    });
    const response = new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    return { response, write: (text: string) => push?.enqueue(new TextEncoder().encode(text)) };
  };

  test("notes frames and heartbeats with their times, and passes the bytes on", async () => {
    const { response, write } = stream();
    let time = 0;
    const line = new Line({ send: () => async () => response, onChange: () => undefined, now: () => ++time });
    const got = await line.fetch("http://a/", { headers: { "Last-Event-ID": "4" } });
    write("id: 5\ndata: {}\n\n: ping\n\n");
    const reader = got.body?.getReader();
    assert.match(new TextDecoder().decode((await reader?.read())?.value), /^id: 5/);
    const [connection] = line.connections;
    assert.equal(connection?.after, "4");
    assert.deepEqual(
      connection?.frames.map(({ id, isHeartbeat }) => [id, isHeartbeat]),
      [
        ["5", false],
        [undefined, true],
      ],
    );
    assert.equal(line.isStreaming, true);
    await reader?.cancel();
    assert.equal(connection?.end, "closed");
    assert.equal(line.isStreaming, false);
  });

  test("breaks when it is cut, and the next request waits until it is whole", async () => {
    const { response } = stream();
    const line = new Line({ send: () => async () => response.clone(), onChange: () => undefined });
    const got = await line.fetch("http://a/");
    const read = got.body?.getReader().read();
    const before = Date.now();
    line.cut(30);
    await assert.rejects(async () => read, /cut in the inspector/);
    assert.equal(line.connections[0]?.end, "cut");
    await line.fetch("http://a/");
    assert.ok(Date.now() - before >= 25);
    assert.equal(line.connections.length, 2);
  });
});
