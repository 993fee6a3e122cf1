import assert from "node:assert/strict";
import { test } from "vitest";
import {
  type AgentUpdate,
  adaptAgent,
  type InvocableAgent,
  type Logger,
  type StatusDictionary,
} from "../../src/index.js";
import { gate } from "../support/both.js";
import { collect, serveExecutor, text } from "../support/peer.js";

/** Streams what it is told to. */
function streaming(...updates: unknown[]): InvocableAgent {
  return {
    async *stream() {
      yield* updates as AgentUpdate[];
    },
  };
}

/** Sends one message to an adapted agent and gives the task that comes of it. */
async function run(t: any, agent: InvocableAgent, logger?: Logger) {
  const { rpc } = await serveExecutor(t, adaptAgent(agent), logger ? { logger } : {});
  const { result } = await rpc.call(
    "SendMessage",
    text("100 USD in EUR", { message: { contextId: "talk" } }),
  );
  return { task: result.task, rpc };
}

test("two progress statuses, one artifact, completed", async (t) => {
  const agent = streaming({ text: "Looking up" }, { text: "Computing" }, { text: "92 EUR", done: true });
  const { rpc } = await serveExecutor(t, adaptAgent(agent));
  const events = (await collect(rpc.stream("SendStreamingMessage", text("go")))).map(({ data }) => data);
  assert.equal(events[0].task.status.message.parts[0].text, "Looking up");
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

test("stream is used when there are both, and ends at the first verdict", async (t) => {
  let ended = false;
  const { task } = await run(t, {
    invoke: () => assert.fail("invoke was called"),
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

test("status dictionaries mean the same", async (t) => {
  const states = async (...updates: StatusDictionary[]) => (await run(t, streaming(...updates))).task;
  const progress = { is_task_complete: false, require_user_input: false, content: "Looking up", error: null };
  const done = await states(progress, {
    is_task_complete: true,
    require_user_input: false,
    content: "92 EUR",
  });
  assert.equal(done.status.state, "TASK_STATE_COMPLETED");
  assert.equal(done.artifacts[0].parts[0].text, "92 EUR");
  const asked = await states(progress, {
    is_task_complete: false,
    require_user_input: true,
    content: "Which?",
  });
  assert.equal(asked.status.state, "TASK_STATE_INPUT_REQUIRED");
  const failed = await states({ is_task_complete: true, content: null, error: "No rate" });
  assert.deepEqual(failed.status.message.parts, [{ text: "No rate" }]);
  const table = await states({ is_task_complete: true, content: { rate: 0.92 } });
  assert.deepEqual(table.artifacts[0].parts, [{ data: { rate: 0.92 } }]);
});

const wrong: readonly [unknown, RegExp][] = [
  ["92 EUR", /An update must be an object, not string/],
  [null, /must be an object, not null/],
  [[], /must be an object, not a list/],
  [{}, /update is empty/],
  [{ text: 92 }, /update\.text must be a string, not number/],
  [{ text: "a", done: "yes" }, /update\.done must be true or false, not string/],
  [{ finished: true }, /update\.finished is not a member: there are text, data, artifact/],
  [{ done: true, requireInput: true }, /update\.done and update\.requireInput exclude each other/],
  [{ requireInput: true }, /update\.text is missing: requireInput needs a question/],
  [{ error: 404 }, /update\.error must be a string, true or false/],
  [{ artifact: [] }, /update\.artifact must be an object, not a list/],
  [{ artifact: { name: "a" } }, /update\.artifact\.text is missing/],
  [{ artifact: { text: "a", last: 1 } }, /update\.artifact\.last must be true or false/],
  [{ is_task_complete: 1 }, /update\.is_task_complete must be true or false, not number/],
  [{ is_task_complete: true, done: true }, /update\.done is not a member: there are is_task_complete/],
  [{ require_user_input: true, content: null }, /update\.content is missing/],
  [{ is_task_complete: true, require_user_input: true, content: "?" }, /exclude each other/],
];

for (const [update, fault] of wrong) {
  test(`an update of a wrong shape fails the task, and only the log says why: ${JSON.stringify(update)}`, async (t) => {
    const errors: any[] = [];
    const ignore = () => undefined;
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (facts: any) => errors.push(facts.err),
    };
    const { task } = await run(t, streaming({ text: "Looking up" }, update), logger);
    assert.equal(task.status.state, "TASK_STATE_FAILED");
    assert.match(errors[0].message, fault);
    assert.doesNotMatch(JSON.stringify(task), /update|member|exclude/);
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
