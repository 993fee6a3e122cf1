import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, inputRequired, working } from "../../src/index.js";
import { onBoth, onJson } from "../support/both.js";
import { collect, serveExecutor, text } from "../support/peer.js";

const words = (task: any) => task.history?.map((message: any) => message.parts[0].text);

onBoth(
  "HIST-01, HIST-02, HIST-03, HIST-04, HIST-05, HIST-07, HIST-08, HIST-09, HIST-10, HIST-14, OP-GET-01, OP-GET-03, OP-LIST-17: the newest messages are given, as many as were asked for",
  async function* () {
    yield working("one");
    yield working("two");
    yield completed("three");
  },
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("zero"))).result;
    const all = ["zero", "one", "two"];
    const asked = async (historyLength?: number) => {
      const more = historyLength === undefined ? {} : { historyLength };
      const read = (await peer.call("GetTask", { id: task.id, ...more })).result;
      const [listed] = (await peer.call("ListTasks", more)).result.tasks;
      const sent = (await peer.call("SendMessage", text("zero", { configuration: more }))).result.task;
      assert.deepEqual(words(listed) ?? [], words(read) ?? []);
      assert.deepEqual(words(sent) ?? [], words(read) ?? []);
      return read;
    };
    assert.deepEqual(words(await asked()), all);
    assert.equal("history" in (await asked(0)), false);
    assert.deepEqual(words(await asked(1)), ["two"]);
    assert.deepEqual(words(await asked(2)), ["one", "two"]);
    assert.deepEqual(words(await asked(99)), all);
    assert.deepEqual(words(await asked()), all);
  },
);

onJson(
  "HIST-06, OP-GET-05: a negative or broken historyLength and an empty id are refused by name",
  async function* () {
    yield completed();
  },
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("go"))).result;
    for (const historyLength of [-1, 1.5, "many", 2 ** 31]) {
      const read = await peer.call("GetTask", { id: task.id, historyLength });
      assert.deepEqual(
        [read.error, read.fields],
        ["INVALID_PARAMS", ["historyLength"]],
        String(historyLength),
      );
      const sent = await peer.call("SendMessage", text("go", { configuration: { historyLength } }));
      assert.deepEqual([sent.error, sent.fields], ["INVALID_PARAMS", ["configuration.historyLength"]]);
      const listed = await peer.call("ListTasks", { historyLength });
      assert.deepEqual([listed.error, listed.fields], ["INVALID_PARAMS", ["historyLength"]]);
    }
  },
);

onBoth(
  "HIST-11, HIST-12, TURN-11: messages are kept with their task's ids, and the current status message is not among them",
  async function* ({ task }) {
    if (task === undefined) yield inputRequired("Which?");
    else yield completed("Thanks");
  },
  async (peer) => {
    const first = (await peer.call("SendMessage", text("go"))).result.task;
    assert.deepEqual(words(first), ["go"]);
    const { task } = (await peer.call("SendMessage", text("this", { message: { taskId: first.id } }))).result;
    assert.deepEqual(words(task), ["go", "Which?", "this"]);
    for (const message of [...task.history, task.status.message]) {
      assert.equal(message.taskId, task.id);
      assert.equal(message.contextId, task.contextId);
    }
  },
);

onBoth(
  "OP-GET-02, OP-GET-06, OP-GET-07, IDEM-01, JSON-01, JSONV-01: reading gives the bare task, every time the same",
  async function* () {
    yield artifact({ name: "a", description: "b" }).data({ nested: [null] });
    yield completed();
  },
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("go"))).result;
    const once = (await peer.call("GetTask", { id: task.id })).result;
    const twice = (await peer.call("GetTask", { id: task.id })).result;
    assert.deepEqual(once, task);
    assert.deepEqual(twice, task);
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  },
);

onBoth(
  "ART-01, ART-02, ART-03, ART-04, ART-05, ART-06, ART-07, OBJT-06, OBJT-09: artifacts are replaced or appended to as flagged",
  async function* () {
    const update = (artifactId: string, part: string, more: object = {}, head: object = {}) => ({
      artifactUpdate: { artifact: { artifactId, parts: [{ text: part }], ...head }, ...more },
    });
    yield update("a", "1", {}, { name: "first", metadata: { kept: 1, changed: 1 } });
    yield update(
      "a",
      "2",
      { append: true, lastChunk: true },
      { description: "second", metadata: { changed: 2 } },
    );
    yield update("a", "3", { append: true });
    yield update("b", "x");
    yield update("b", "y");
    yield update("c", "alone", { append: true });
    yield completed();
  },
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("go"))).result;
    assert.deepEqual(task.artifacts, [
      {
        artifactId: "a",
        name: "first",
        description: "second",
        metadata: { kept: 1, changed: 2 },
        parts: [{ text: "1" }, { text: "2" }, { text: "3" }],
      },
      { artifactId: "b", parts: [{ text: "y" }] },
      { artifactId: "c", parts: [{ text: "alone" }] },
    ]);
  },
);

onBoth(
  "ART-08: a task read on seeing an event holds what the event brought",
  async function* () {
    yield working();
    const result = artifact();
    for (let index = 0; index < 20; index += 1) {
      yield result.text(`${index}`);
      await new Promise(setImmediate);
    }
    yield completed();
  },
  async (peer) => {
    let seen = 0;
    for await (const { data } of peer.stream("SendStreamingMessage", text("go"))) {
      const chunk = data.artifactUpdate;
      if (!chunk || Number(chunk.artifact.parts[0].text) % 5 !== 0) continue;
      const { result } = await peer.call("GetTask", { id: chunk.taskId });
      assert.ok(result.artifacts[0].parts.length > Number(chunk.artifact.parts[0].text));
      seen += 1;
    }
    assert.equal(seen, 4);
  },
);

onJson(
  "OBJ-05, OBJ-07, OBJ-08, OBJ-09, OBJ-10, OBJ-11, OBJ-13, OBJT-07, OBJT-08: parts of every kind come back as they were sent",
  async function* ({ message }) {
    yield artifact().parts(message.parts);
    yield completed();
  },
  async (peer) => {
    const parts = [
      { text: "" },
      {
        text: "plain",
        filename: "a.txt",
        mediaType: "text/plain",
        metadata: { deep: { a: [1, "2", null] } },
      },
      { raw: "AAEC/w==", mediaType: "text/plain" },
      { url: "https://example.com/x" },
      { data: null },
      { data: [1, { a: null }] },
    ];
    const sent = text("", {
      message: { parts: parts.map((part) => ({ ...part, kind: "text", type: "text" })) },
    });
    const frames = await collect(peer.stream("SendStreamingMessage", sent));
    const id = frames[0]?.data.task.id;
    const { result } = await peer.call("GetTask", { id });
    assert.deepEqual(result.artifacts[0].parts, parts);
    assert.deepEqual(result.history[0].parts, parts);
  },
);

test("ART-04: an append to an artifact that is not there is logged", async (t) => {
  const warnings: object[] = [];
  const note = () => undefined;
  const logger = { debug: note, info: note, error: note, warn: (facts: object) => void warnings.push(facts) };
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      const known = artifact({ artifactId: "known" });
      yield known.text("1");
      yield known.text("2");
      yield { artifactUpdate: { artifact: { artifactId: "unknown", parts: [{ text: "x" }] }, append: true } };
      yield completed();
    },
    { logger },
  );
  const { task } = (await rpc.call("SendMessage", text("go"))).result;
  assert.deepEqual(
    warnings.filter((facts) => "artifactId" in facts),
    [{ taskId: task.id, artifactId: "unknown" }],
  );
});
