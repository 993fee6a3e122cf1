import assert from "node:assert/strict";
import { test } from "vitest";
import { adaptAgent } from "../../src/bridges/index.js";
import { type Executor, inputRequired, reply, routeSkills, textOf, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { onBoth } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";

/** Answers with its name, in every shape that an executor may have. */
const skills: Record<string, Executor> = {
  generator: async function* () {
    yield reply("generator");
  },
  async: async () => reply("async"),
  plain: () => reply("plain"),
};

const to = (skill: unknown, key = "skill") => text("go", { message: { metadata: { [key]: skill } } });

onBoth("a message goes to the skill that its metadata names", routeSkills(skills), async (peer) => {
  for (const id of Object.keys(skills)) {
    for (const key of ["skill", "skillId"]) {
      const { result } = await peer.call("SendMessage", to(id, key));
      assert.equal(result.message.parts[0].text, id);
    }
  }
});

test("a message that no skill takes is rejected with a text that names them", async (t) => {
  const { rpc } = await serveExecutor(t, routeSkills(skills));
  for (const request of [text("go"), to("unknown"), to("toString"), to(7)]) {
    const { task } = (await rpc.call("SendMessage", request)).result;
    assert.equal(task.status.state, "TASK_STATE_REJECTED");
    assert.match(task.status.message.parts[0].text, /generator, async, plain/);
  }
});

test("the fallback takes what no skill takes", async (t) => {
  const { rpc } = await serveExecutor(t, routeSkills(skills, { fallback: () => reply("fallback") }));
  assert.equal((await rpc.call("SendMessage", to("plain"))).result.message.parts[0].text, "plain");
  assert.equal((await rpc.call("SendMessage", text("go"))).result.message.parts[0].text, "fallback");
});

test("a match function decides, and may take its time", async (t) => {
  const execute = routeSkills(skills, {
    match: async (message, { call }) => {
      await Promise.resolve();
      return call.headers["x-skill"] ? "async" : textOf(message);
    },
  });
  const { rpc } = await serveExecutor(t, execute);
  assert.equal((await rpc.call("SendMessage", text("plain"))).result.message.parts[0].text, "plain");
  const { result } = await rpc.call("SendMessage", text("plain"), { "X-Skill": "1" });
  assert.equal(result.message.parts[0].text, "async");
});

test("a task stays with the skill of its first message", async (t) => {
  const plan: Executor = async function* ({ task, text }) {
    if (task) yield working(`planning ${text}`);
    else yield inputRequired("Which city?");
  };
  const { rpc } = await serveExecutor(t, routeSkills({ ...skills, plan }));
  for (const metadata of [{}, { skill: "plain" }]) {
    const { task } = (await rpc.call("SendMessage", to("plan"))).result;
    const answer = text("Lisbon", { message: { taskId: task.id, metadata } });
    const { result } = await rpc.call("SendMessage", answer);
    assert.equal(result.task.history.at(-1).parts[0].text, "planning Lisbon");
  }
});

test("an update that is refused throws in the executor of the skill", async (t) => {
  const caught: unknown[] = [];
  const broken: Executor = async function* () {
    try {
      yield { statusUpdate: { status: { state: "ASLEEP" as never } } };
    } catch (error) {
      caught.push((error as Error).name);
    }
    yield reply("caught");
  };
  const { rpc } = await serveExecutor(t, routeSkills({ broken }));
  const { result } = await rpc.call("SendMessage", to("broken"));
  assert.equal(result.message.parts[0].text, "caught");
  assert.deepEqual(caught, ["UpdateRefused"]);
});

test("TASK-06: the tasks of executors that are all adapted are created before one runs, as without a route", async (t) => {
  const store = new MemoryStore();
  const created: number[] = [];
  const adapted = adaptAgent({
    async invoke() {
      created.push(store.size());
      return { text: "done", done: true };
    },
  });
  for (const execute of [
    adapted,
    routeSkills({ adapted }),
    routeSkills({ adapted }, { fallback: adapted }),
  ]) {
    const { rpc } = await serveExecutor(t, execute, { store });
    const { result } = await rpc.call("SendMessage", to("adapted"));
    assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  }
  assert.deepEqual(created, [1, 2, 3]);
  // Other skills may only reply.
  const { rpc } = await serveExecutor(t, routeSkills({ adapted, ...skills }));
  assert.equal((await rpc.call("SendMessage", to("plain"))).result.message.parts[0].text, "plain");
});
