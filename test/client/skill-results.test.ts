import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { z } from "zod";
import { ClientError, connect, SkillError, type SkillMap } from "../../src/client/index.js";
import { artifact, completed, dataPart, type Executor, filePart, reply } from "../../src/index.js";
import { plainCard, serveFor } from "../support/peer.js";
import { clientOf, completed as ended, eventStream, frames, result, statusOf, task } from "./scripted.js";

/** A client with contracts of its own, of an agent that knows nothing of them. */
async function clientWith<const Skills extends SkillMap>(t: TestContext, skills: Skills, execute: Executor) {
  const { url } = await serveFor(t, { card: plainCard, execute });
  return connect(url, { skills });
}

/** An agent whose tasks end with an artifact for each of the given lists of parts. */
const artifacts = (...contents: Parameters<ReturnType<typeof artifact>["parts"]>[0][]): Executor =>
  async function* () {
    for (const parts of contents) yield artifact().parts(parts);
    yield completed();
  };

const file = filePart(new Uint8Array([1]), { filename: "a.bin" });

test("artifacts without text add nothing to the text of a result", async (t) => {
  const words = await clientWith(t, { say: {} }, artifacts([{ text: "hello" }], [dataPart({ x: 1 })]));
  const { output, text } = await words.skill("say").call("hi");
  assert.deepEqual([output, text], ["hello", "hello"]);
  const choice = { input: {}, output: { enum: ["yes", "no"] } } as const;
  const chosen = await clientWith(t, { choose: choice }, artifacts([{ text: "yes" }], [file]));
  assert.equal((await chosen.skill("choose").call({})).output, "yes");
  const silent = await clientWith(t, { choose: choice }, artifacts([file], [file]));
  await assert.rejects(silent.skill("choose").call({}), (error) => {
    assert.ok(error instanceof SkillError);
    assert.deepEqual([error.text, error.message], ["", "The skill returned no output"]);
    return true;
  });
});

for (const [kind, execute] of [
  ["a message", () => reply([{ text: "hello" }, dataPart({ x: 1 })])],
  ["an artifact", artifacts([{ text: "hello" }, dataPart({ x: 1 })])],
] as const) {
  test(`data is no output of a skill whose output is text, in a stream of ${kind} as in its result`, async (t) => {
    const say = (await clientWith(t, { say: {} }, execute)).skill("say");
    const stream = say.stream("hi");
    const seen: unknown[] = [];
    for await (const event of stream) if (event.status === undefined) seen.push(event);
    assert.deepEqual(seen, [{ text: "hello" }]);
    assert.equal((await stream.result()).output, "hello");
  });
}

test("data in the message that completes a task is no output of a skill whose output is text", async (t) => {
  const client = await clientWith(t, { say: {} }, async function* () {
    yield completed([{ text: "hello" }, dataPart({ x: 1 })]);
  });
  const seen: unknown[] = [];
  for await (const { output } of client.skill("say").stream("hi")) seen.push(output);
  assert.deepEqual(
    seen.filter((output) => output !== undefined),
    [],
  );
});

test("a lenient client reports no status for events that have none", async () => {
  const { client } = await clientOf(
    (request) =>
      eventStream(
        frames(request, [
          { task },
          { task: { id: "t", contextId: "c" } },
          { statusUpdate: { taskId: "t", contextId: "c" } },
          statusOf(ended),
        ]),
      ),
    { lenient: true },
  );
  const seen: unknown[] = [];
  for await (const event of client.skill("say").stream("hi")) seen.push(event);
  assert.deepEqual(seen, [{ status: task.status }, { status: ended }]);
});

test("a lenient client reads a response without a task and a message as a result without content", async () => {
  const skills = { say: {}, count: { output: { type: "number" } } } as const;
  const { client } = await clientOf((request) => result(request, {}), { lenient: true, skills });
  assert.deepEqual(await client.skill("say").call("hi"), { output: "", text: "", task: undefined });
  await assert.rejects(client.skill("count").call("hi"), { name: "SkillError" });
});

test("a lenient client skips artifacts and parts of a skill that are not objects, or not in a list", async () => {
  const logger = { debug() {}, info() {}, error() {}, warn() {} };
  const done = (more: object, message?: object) => ({
    task: { ...task, status: { ...ended, ...(message && { message }) }, ...more },
  });
  const message = (parts: unknown) => ({ messageId: "m", role: "ROLE_AGENT", parts });
  const chunk = (parts: unknown) => ({
    artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId: "a", parts } },
  });
  const data = { data: { x: 1 } };
  for (const [what, event, output] of [
    ["artifacts that are not a list", done({ artifacts: {} }), ""],
    ["no artifact", done({ artifacts: [null] }), ""],
    ["no artifact, and a reply", done({ artifacts: [null] }, message([data])), { x: 1 }],
    ["parts of an artifact that are not a list", done({ artifacts: [{ artifactId: "a", parts: {} }] }), ""],
    [
      "an artifact with a part that is null",
      done({ artifacts: [{ artifactId: "a", parts: [null, data] }] }),
      { x: 1 },
    ],
    ["a message whose parts are not a list", { message: message({}) }, ""],
    ["a message with a part that is null", { message: message([null, data]) }, { x: 1 }],
    ["a reply whose parts are not a list", done({}, message({})), ""],
    ["a reply with a part that is null", done({}, message([null, data])), { x: 1 }],
  ] as const) {
    const { client } = await clientOf(
      (request) =>
        request.json.method === "SendMessage"
          ? result(request, event)
          : eventStream(frames(request, "task" in event ? [event, statusOf(event.task.status)] : [event])),
      { lenient: true, logger },
    );
    const skill = client.skill("say");
    assert.deepEqual((await skill.call("hi")).output, output, what);
    const stream = skill.stream("hi");
    const seen: unknown[] = [];
    for await (const event of stream) if (event.status === undefined) seen.push(event);
    assert.deepEqual(seen, output === "" ? [] : [{ output }], what);
    assert.deepEqual((await stream.result()).output, output, what);
  }
  for (const parts of [{}, [null]]) {
    const { client } = await clientOf(
      (request) => eventStream(frames(request, [{ task }, chunk(parts), statusOf(ended)])),
      { lenient: true, logger },
    );
    const seen: unknown[] = [];
    for await (const { status } of client.skill("say").stream("hi")) seen.push(status?.state);
    assert.deepEqual(seen, ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
    const question = { state: "TASK_STATE_INPUT_REQUIRED", message: message(parts) };
    const asking = await clientOf((request) => result(request, { task: { ...task, status: question } }), {
      lenient: true,
      logger,
    });
    await assert.rejects(asking.client.skill("say").call("hi"), { name: "SkillError", text: "" });
    const asked: unknown[] = [];
    const answer = ({ text, data }: { text: string; data: readonly unknown[] }) =>
      void asked.push(text, data);
    await assert.rejects(asking.client.skill("say").call("hi", { answer }), { name: "SkillError" });
    assert.deepEqual(asked, ["", []]);
  }
});

test("a lenient client names the output that its schema refuses by its position, also after parts that it skips", async () => {
  const skills = { count: { output: { type: "number" } } } as const;
  const artifacts = [null, { artifactId: "a", parts: [null, { data: "x" }] }];
  const event = { task: { ...task, status: ended, artifacts } };
  const { client } = await clientOf((request) => result(request, event), { lenient: true, skills });
  const field = "task.artifacts[1].parts[1].data";
  await assert.rejects(client.skill("count").call("hi"), { code: "INVALID_RESPONSE", field });
});

test("an error tells what the schema of another library says, once and without a preamble", async (t) => {
  const number = z.object({ n: z.number() });
  const skills = { count: { input: number, output: number } };
  const client = await clientWith(t, skills, () => reply([dataPart({ n: "3" })]));
  const expected = "Invalid input: expected number, received string";
  for (const [call, code, side] of [
    [() => client.skill("count").call({ n: 3 }), "INVALID_RESPONSE", "output"],
    [() => client.skill("count").call({ n: "3" } as never), "INVALID_REQUEST", "input"],
  ] as const) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ClientError);
      const path = "message.parts[0].data.n";
      assert.deepEqual([error.code, error.field, error.expected], [code, path, expected]);
      assert.equal(error.message, `The ${side} of the skill is not valid: ${path}: ${expected}`);
      return true;
    });
  }
});

for (const [name, limits, text] of [
  ["values", { values: 20 }, `[${"0,".repeat(20)}0]`],
  ["members", { members: 20 }, `{${Array.from({ length: 21 }, (_, index) => `"m${index}":0`).join()}}`],
  ["nested values", {}, "[".repeat(101) + "]".repeat(101)],
] as const) {
  test(`SEC-16: text with more ${name} than the client reads is not read as an output`, async (t) => {
    const { url } = await serveFor(t, { card: plainCard, execute: ({ text: asked }) => reply(asked) });
    const client = await connect(url, { limits });
    const any = client.skill({ id: "any", output: { type: ["array", "object"] } } as const);
    assert.deepEqual((await any.call("[1]")).output, [1]);
    await assert.rejects(any.call(text), SkillError);
  });
}
