import assert from "node:assert/strict";
import { test } from "vitest";
import { type AgentUpdate, adaptAgent, type InvocableAgent } from "../../src/bridges/index.js";
import { gate } from "../support/both.js";
import { collect, serveExecutor, text } from "../support/peer.js";
import { run, streaming } from "./adapted.js";

test("two progress statuses, one artifact, completed", async (t) => {
  const agent = streaming({ text: "Looking up" }, { text: "Computing" }, { text: "92 EUR", done: true });
  const { rpc } = await serveExecutor(t, adaptAgent(agent));
  const [opening, ...events] = (await collect(rpc.stream("SendStreamingMessage", text("go")))).map(
    ({ data }) => data,
  );
  assert.equal(opening.task.status.state, "TASK_STATE_SUBMITTED");
  assert.equal(events[0].statusUpdate.status.message.parts[0].text, "Looking up");
  assert.equal(events[1].statusUpdate.status.message.parts[0].text, "Computing");
  const { artifact, lastChunk } = events[2].artifactUpdate;
  assert.deepEqual([artifact.name, artifact.parts, lastChunk], ["result", [{ text: "92 EUR" }], true]);
  assert.equal(events[3].statusUpdate.status.state, "TASK_STATE_COMPLETED");
  assert.equal(events.length, 4);
});

test("invoke is given the query, the context id and the signal; what it returns is the end", async (t) => {
  const calls: unknown[][] = [];
  const agent: InvocableAgent = {
    async invoke(query, contextId, { signal }) {
      calls.push([query, contextId, signal instanceof AbortSignal, this === agent]);
      return { text: "92", data: { currency: "EUR" } };
    },
  };
  const { task } = await run(t, agent);
  assert.deepEqual(calls, [["100 USD in EUR", "talk", true, true]]);
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(task.artifacts[0].parts, [{ text: "92" }, { data: { currency: "EUR" } }]);
});

test("EXEC-02: a caller who does not wait has the task before the agent answers, over both bindings", async (t) => {
  const { open, opened } = gate<AgentUpdate>();
  const { rpc, rest } = await serveExecutor(t, adaptAgent({ invoke: () => opened }));
  const tasks = [];
  for (const peer of [rpc, rest]) {
    const { result } = await peer.call(
      "SendMessage",
      text("go", { configuration: { returnImmediately: true } }),
    );
    assert.equal(result.task.status.state, "TASK_STATE_SUBMITTED");
    tasks.push(result.task.id);
  }
  const ends = tasks.map((id) => collect(rpc.stream("SubscribeToTask", { id })));
  open({ text: "92" });
  await Promise.allSettled(ends);
  for (const id of tasks) {
    const { result } = await rest.call("GetTask", { id });
    assert.equal(result.artifacts[0].parts[0].text, "92");
  }
});

test("a stream ends at the first outcome", async (t) => {
  let ended = false;
  const { task } = await run(t, {
    async *stream() {
      try {
        yield { done: true };
        yield { text: "more" };
      } finally {
        ended = true;
      }
    },
  });
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.equal("artifacts" in task, false);
  assert.equal(ended, true);
});

test("with both methods, callers who read a stream get `stream` and all others `invoke`, also in follow-ups", async (t) => {
  const { rpc, rest } = await serveExecutor(
    t,
    adaptAgent({
      invoke: (query) => (query === "ask" ? { text: "?", requireInput: true } : { text: `invoke ${query}` }),
      async *stream(query) {
        yield query === "ask" ? { text: "?", requireInput: true } : { text: `stream ${query}`, done: true };
      },
    }),
  );
  for (const peer of [rpc, rest]) {
    const last = async (words: string, message: object = {}) => {
      const frames = await collect(peer.stream("SendStreamingMessage", text(words, { message })));
      return frames.find(({ data }) => data.artifactUpdate)?.data.artifactUpdate.artifact.parts[0].text;
    };
    const answer = async (words: string, message: object = {}) =>
      (await peer.call("SendMessage", text(words, { message }))).result.task;
    assert.equal((await answer("go")).artifacts[0].parts[0].text, "invoke go");
    assert.equal(await last("go"), "stream go");
    const { id: taskId } = await answer("ask");
    assert.equal(await last("more", { taskId }), "stream more");
  }
});

test("a question waits for the caller, whose answer runs the agent again", async (t) => {
  const agent: InvocableAgent = {
    invoke: (query) =>
      query === "USD" ? { text: "108 USD" } : { text: "In which currency?", requireInput: true },
  };
  const { task, rpc } = await run(t, agent);
  assert.equal(task.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.equal(task.status.message.parts[0].text, "In which currency?");
  const { result } = await rpc.call("SendMessage", text("USD", { message: { taskId: task.id } }));
  assert.equal(result.task.artifacts[0].parts[0].text, "108 USD");
});

test("an error that the agent states is told to the caller, whatever else the update says", async (t) => {
  for (const update of [
    { error: "No rate for today" },
    { error: true, text: "No rate for today", done: true },
    { error: "No rate for today", requireInput: true, done: true },
  ]) {
    const { task } = await run(t, streaming({ text: "Looking up" }, update));
    assert.equal(task.status.state, "TASK_STATE_FAILED");
    assert.deepEqual(task.status.message.parts, [{ text: "No rate for today" }]);
  }
  const { task } = await run(t, streaming({ error: true }));
  assert.deepEqual([task.status.state, task.status.message], ["TASK_STATE_FAILED", undefined]);
});

test("an empty error is none, and the caller does not see it", async (t) => {
  const { task } = await run(t, streaming({ text: "92 EUR", done: true, error: "" }));
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(task.artifacts[0].parts, [{ text: "92 EUR" }]);
});

test("pieces of one artifact are joined by id, or by name; a status without content says WORKING", async (t) => {
  const agent = streaming(
    { artifact: { name: "report", text: "a" } },
    { artifact: { artifactId: "table", name: "table", description: "numbers", data: [1] } },
    { artifact: { name: "report", text: "b" }, text: "Half way" },
    { artifact: { artifactId: "table", data: [2], last: true } },
    { done: false },
  );
  const { task } = await run(t, agent);
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  const [report, table] = task.artifacts;
  assert.deepEqual([report.name, report.parts], ["report", [{ text: "a" }, { text: "b" }]]);
  const { artifactId, description, parts } = table;
  assert.deepEqual([artifactId, description, parts], ["table", "numbers", [{ data: [1] }, { data: [2] }]]);
  assert.equal(task.history.at(-1).parts[0].text, "Half way");
});

const wrong: readonly [unknown, RegExp][] = [
  ["92 EUR", /An update must be an object, not string/],
  [null, /must be an object, not null/],
  [[], /must be an object, not a list/],
  [{}, /update is empty/],
  [{ text: 92 }, /update\.text must be a string, not number/],
  [{ text: "a", done: "yes" }, /update\.done must be true or false, not string/],
  [{ finished: true }, /update\.finished is not a member: the members are text, data, artifact/],
  [{ done: true, requireInput: true }, /update\.done and update\.requireInput exclude each other/],
  [{ requireInput: true }, /update\.text is missing: requireInput needs a question/],
  [{ requireInput: true, error: "" }, /update\.text is missing: requireInput needs a question/],
  [{ error: 404 }, /update\.error must be a string, true or false/],
  [{ artifact: [] }, /update\.artifact must be an object, not a list/],
  [{ artifact: { name: "a" } }, /update\.artifact\.text is missing/],
  [{ artifact: { text: "a", last: 1 } }, /update\.artifact\.last must be true or false/],
  [{ is_task_complete: 1 }, /update\.is_task_complete must be true or false, not number/],
  [{ is_task_complete: true, done: true }, /update\.done is not a member: the members are is_task_complete/],
  [{ require_user_input: true, content: null }, /update\.content is missing: require_user_input needs/],
  [{ status: "working", requireUserInput: true }, /update\.content is missing: requireUserInput needs/],
  [
    { is_task_complete: true, require_user_input: true, content: "?" },
    /update\.is_task_complete and update\.require_user_input exclude each other/,
  ],
  [
    { status: "completed", requireUserInput: true, content: "?" },
    /update\.status and update\.requireUserInput exclude each other/,
  ],
  [
    { status: "input-required", isTaskComplete: true, content: "?" },
    /update\.isTaskComplete and update\.status exclude each other/,
  ],
  [{ status: "input_required" }, /update\.message is missing: input_required needs a question/],
  [{ status: "paused", message: "a" }, /update\.status must be one of working, .*, error, not "paused"/],
  [{ status: "secret ".repeat(9), message: "a" }, /update\.status must be one of .*, not a text$/],
  [{ status: { state: "working" } }, /update\.status must be a string, not object/],
];

for (const [update, fault] of wrong) {
  test(`an update of a wrong shape fails the task, and its caller and the log are told why: ${JSON.stringify(update)}`, async (t) => {
    const errors: any[] = [];
    const ignore = () => undefined;
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (facts: any) => errors.push(facts.err),
    };
    for (const agent of [
      streaming({ text: "Looking up" }, update),
      streaming(update),
      { invoke: () => update as never },
    ]) {
      const { task } = await run(t, agent, logger);
      assert.equal(task.status.state, "TASK_STATE_FAILED");
      assert.match(errors.pop().message, fault);
      assert.match(task.status.message.parts[0].text, fault);
      assert.doesNotMatch(JSON.stringify(task), /secret/);
    }
  });
}

test("a cancel reaches the agent through its signal", async (t) => {
  const { open, opened } = gate();
  const { rpc } = await serveExecutor(
    t,
    adaptAgent({
      async *stream(_query, _contextId, { signal }) {
        yield { text: "Waiting" };
        signal.addEventListener("abort", () => open());
        await opened;
      },
    }),
  );
  const { result } = await rpc.call(
    "SendMessage",
    text("go", { configuration: { returnImmediately: true } }),
  );
  const canceled = await rpc.call("CancelTask", { id: result.task.id });
  assert.equal(canceled.result.status.state, "TASK_STATE_CANCELED");
  await opened;
});

test("an object with neither method is refused at once", () => {
  assert.throws(() => adaptAgent({}), { name: "TypeError", message: /`invoke` or `stream`/ });
});
