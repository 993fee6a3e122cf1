import assert from "node:assert/strict";
import { test } from "vitest";
import { chunkOf, completed, eventStream, frames, type Seen, statusOf, task } from "../scripted.js";
import { methodsOf } from "./read-stream.js";

const foreign = { ...task, id: "other" };
const elsewhere = { ...task, contextId: "other" };
const message = (ids: object) => ({ messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }], ...ids });
const idsOf = (ids: object, status: object) => ({
  statusUpdate: { taskId: "t", contextId: "c", status, ...ids },
});
const chunkIn = (ids: object) => ({ artifactUpdate: { ...(chunkOf("x") as any).artifactUpdate, ...ids } });

/** Events that do not belong into the stream of task "t" in context "c". */
const strangers: readonly (readonly [event: object, field: string])[] = [
  [idsOf({ taskId: "other" }, completed), "statusUpdate.taskId"],
  [idsOf({ contextId: "other" }, completed), "statusUpdate.contextId"],
  [chunkIn({ taskId: "other" }), "artifactUpdate.taskId"],
  [chunkIn({ contextId: "other" }), "artifactUpdate.contextId"],
  [{ task: foreign }, "task.id"],
  [{ task: elsewhere }, "task.contextId"],
  [{ message: message({ taskId: "other" }) }, "message.taskId"],
];

test("an event of another task or context ends a stream with an error and changes nothing", async () => {
  for (const [event, field] of strangers) {
    const { client } = await methodsOf({
      SendStreamingMessage: (request) =>
        eventStream(frames(request, [{ task }, event, statusOf(completed)]), "open"),
    });
    const stream = client.stream("x");
    await assert.rejects(stream.result(), { code: "INVALID_RESPONSE", field });
    assert.deepEqual(stream.task, task);
    assert.equal(stream.message, undefined);
  }
});

test("a subscription, and a stream that continues a task, begin with that task", async () => {
  const { client } = await methodsOf({
    SubscribeToTask: (request) => eventStream(frames(request, [{ task: foreign }])),
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task: foreign }])),
  });
  await assert.rejects(client.subscribeToTask({ id: "t" }).result(), { field: "task.id" });
  const followed = client.stream("x", { message: { taskId: "t" } });
  await assert.rejects(followed.result(), { field: "task.id" });
});

test("a connection that takes the place of another brings events of the same task and context", async () => {
  for (const [snapshot, field] of [
    [foreign, "task.id"],
    [elsewhere, "task.contextId"],
  ] as const) {
    const { client } = await methodsOf({
      SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
      SubscribeToTask: (request) => eventStream(frames(request, [{ task: snapshot }, statusOf(completed)])),
    });
    const stream = client.stream("x");
    await assert.rejects(stream.result(), { code: "INVALID_RESPONSE", field });
    assert.deepEqual(stream.task, task);
  }
});

test("a lenient client passes on events whose artifact or its parts are missing, and does not fold them", async () => {
  const [bare, empty] = [{}, { artifact: { artifactId: "a" }, append: true }].map((more) => ({
    artifactUpdate: { taskId: "t", contextId: "c", ...more },
  }));
  const whole = { task: { ...task, artifacts: [{ artifactId: "a" }] } };
  const warnings: string[] = [];
  const warn = (_: object, text: string) => warnings.push(text);
  const logger = { debug() {}, info() {}, error() {}, warn };
  for (const odd of [[bare], [empty], []] as object[][]) {
    const events = [...odd, chunkOf("x"), statusOf(completed)];
    const { client } = await methodsOf(
      {
        // The events after the task have no numbers, so that the first of them may repeat what the task has.
        SendStreamingMessage: (request) =>
          eventStream([...frames(request, [whole], 1), ...frames(request, events)]),
      },
      { lenient: true, logger },
    );
    const stream = client.stream("x");
    const seen: unknown[] = [];
    for await (const event of stream) seen.push(event);
    assert.deepEqual(seen, [whole, ...events]);
    assert.deepEqual(stream.task?.artifacts, [{ artifactId: "a", parts: [{ text: "x" }] }]);
    const told: unknown[] = [];
    for await (const { text, status } of client.skill("s").stream("x")) told.push(text ?? status?.state);
    assert.deepEqual(told, ["TASK_STATE_WORKING", "x", "TASK_STATE_COMPLETED"]);
  }
  const incomplete = warnings.filter((text) => text === "An incomplete event was not folded into its task");
  assert.equal(incomplete.length, 4);
});

test("the warning of an incomplete first event names its task", async () => {
  const warnings: object[] = [];
  const warn = (facts: object, text: string) =>
    void (text.startsWith("An incomplete") && warnings.push(facts));
  const events = [{ task: { id: "t", contextId: "c" } }, statusOf(completed)];
  const { client } = await methodsOf(
    { SendStreamingMessage: (request) => eventStream(frames(request, events)) },
    { lenient: true, logger: { debug() {}, info() {}, error() {}, warn } },
  );
  await client.stream("x").result();
  assert.deepEqual(warnings, [{ taskId: "t" }]);
});

test("a lenient client folds updates of a task whose first event is incomplete", async () => {
  const { id, contextId } = task;
  const incomplete = {
    "no status": {},
    "no list of artifacts": { artifacts: {} },
    "no artifact": { artifacts: [null] },
    "no list of parts": { artifacts: [{ artifactId: "a", parts: { text: "x" } }] },
  };
  for (const [what, members] of Object.entries(incomplete)) {
    const status = what === "no status" ? {} : { status: task.status };
    const events = [{ task: { id, contextId, ...status, ...members } }, chunkOf("x"), statusOf(completed)];
    const { client } = await methodsOf(
      { SendStreamingMessage: (request) => eventStream(frames(request, events)) },
      { lenient: true, logger: { debug() {}, info() {}, error() {}, warn() {} } },
    );
    const stream = client.stream("x");
    const seen: unknown[] = [];
    for await (const event of stream) seen.push(event);
    assert.deepEqual(seen, events, what);
    assert.equal(stream.task?.status.state, "TASK_STATE_COMPLETED", what);
    assert.equal(stream.task?.id, id, what);
  }
});

test("a lenient client gives up on a stream whose connections bring incomplete events only", async () => {
  const incomplete = { task: { ...task, status: completed, artifacts: {} } };
  const answer = (request: Seen) => eventStream(frames(request, [incomplete]));
  const { client } = await methodsOf(
    { SendStreamingMessage: answer, SubscribeToTask: answer },
    {
      lenient: true,
      resume: { first: 0.001, attempts: 3 },
      logger: { debug() {}, info() {}, error() {}, warn() {} },
    },
  );
  await assert.rejects(client.stream("x").result(), { code: "CONNECTION_LOST" });
});
