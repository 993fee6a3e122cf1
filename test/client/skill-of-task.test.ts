import assert from "node:assert/strict";
import { test } from "vitest";
import { skills } from "../../examples/typed-skills/generated/skills.js";
import { connect } from "../../src/client/index.js";
import { defineAgent } from "../../src/index.js";
import { plainCard, serveFor } from "../support/peer.js";
import { clientOf, eventStream, frames, result, statusOf, task } from "./scripted.js";

const entry = (id: string) => ({ id, name: id, description: "Does it.", tags: ["a"] });
const card = { ...plainCard, skills: [entry("quote"), entry("claim")] };
const offer = { premium: 3, terms: [{ title: "Excess" }] };
const boat = { kind: "boat", amount: 30 } as const;

test("the message of a completed task is an output only if there are no artifacts, and its text is in the status", async () => {
  const parts = [{ text: "Here" }, { data: { decision: "paid", amount: 2 } }];
  const message = { messageId: "m", role: "ROLE_AGENT", parts };
  const done = { state: "TASK_STATE_COMPLETED", message };
  const artifacts = [{ artifactId: "a", parts: [{ data: { decision: "paid", amount: 1 } }] }];
  const told = async (...events: object[]) => {
    const { client } = await clientOf((request) => eventStream(frames(request, events)));
    const seen: unknown[] = [];
    for await (const { output, text, status } of client.skill("claim").stream({}))
      seen.push((output as { amount?: number })?.amount ?? text ?? status?.state);
    return seen;
  };
  const ended = { ...task, status: done };
  assert.deepEqual(await told({ task }, statusOf(done), { task: ended }), [
    ...["TASK_STATE_WORKING", 2, "TASK_STATE_COMPLETED", "TASK_STATE_COMPLETED"],
  ]);
  assert.deepEqual(await told({ task: ended }), ["TASK_STATE_COMPLETED", 2]);
  assert.deepEqual(await told({ task: { ...ended, artifacts } }), ["TASK_STATE_COMPLETED", 1]);
  assert.deepEqual(await told({ task: { ...task, artifacts } }, statusOf(done)), [
    ...["TASK_STATE_WORKING", 1, "TASK_STATE_COMPLETED"],
  ]);
});

test("an artifact that was replaced while the stream was cut is an output again, and one that was not is none", async () => {
  const paid = (amount: number) => ({ data: { decision: "paid", amount } });
  const artifact = (artifactId: string, ...parts: object[]) => ({ artifactId, parts });
  const chunk = (one: object) => ({ artifactUpdate: { taskId: "t", contextId: "c", artifact: one } });
  const same = { data: { amount: 4, decision: "paid" } };
  const artifacts = [artifact("replaced", paid(3)), artifact("same", same, paid(5))];
  const snapshot = { ...task, status: { state: "TASK_STATE_COMPLETED" }, artifacts };
  const before = [
    ...[{ task }, chunk(artifact("replaced", paid(1))), chunk(artifact("replaced", paid(2)))],
    chunk(artifact("same", paid(4))),
  ];
  const { client } = await clientOf((request) => {
    const { method } = request.json;
    if (method === "SendStreamingMessage") return eventStream(frames(request, before), "cut");
    if (method === "SubscribeToTask") return eventStream(frames(request, [{ task: snapshot }]));
    return result(request, snapshot);
  });
  const amounts: unknown[] = [];
  for await (const { output } of client.skill("claim").stream({}))
    if (output !== undefined) amounts.push((output as { amount: number }).amount);
  assert.deepEqual(amounts, [1, 2, 4, 3, 5]);
});

test("a skill refuses what is not a task, instead of creating another one", async () => {
  const { client, seen } = await clientOf((request) => result(request, { task }));
  const skill = client.skill("claim");
  for (const [given, kind] of [
    [client.getTask({ id: "t" }), "a promise: put `await` before it"],
    [undefined, "undefined"],
  ] as const) {
    await given?.catch(() => undefined);
    seen.length = 0;
    await assert.rejects(skill.reply(given as never, "x"), {
      name: "TypeError",
      message: `reply needs the task that it answers, not ${kind}`,
    });
    await assert.rejects(skill.resultOf(given as never), {
      name: "TypeError",
      message: `resultOf needs a task, not ${kind}`,
    });
    assert.equal(seen.length, 0);
  }
});

for (const tasks of ["auto", "always", "never"] as const) {
  for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
    test(`the output that a skill returns is its result with tasks: ${tasks} [${binding}]`, async (t) => {
      const execute = {
        quote: () => offer,
        claim: () => ({ decision: "refused" as const, reason: "no" }),
      };
      const { url } = await serveFor(t, defineAgent({ card, skills, execute, tasks }));
      const client = await connect(url, { skills, bindings: [binding] });
      const called = await client.skill("quote").call(boat);
      assert.deepEqual(called.output, offer);
      assert.equal(called.task?.status.state, tasks === "always" ? "TASK_STATE_COMPLETED" : undefined);
      assert.deepEqual((await client.skill("quote").stream(boat).result()).output, offer);
    });

    test(`the output that a skill returns is an event of its stream, once, with tasks: ${tasks} [${binding}]`, async (t) => {
      const execute = { quote: () => offer, claim: () => ({ decision: "refused" as const, reason: "no" }) };
      for (const streaming of [true, false]) {
        const agent = { card: { ...card, capabilities: { streaming } }, skills, execute, tasks };
        const { url } = await serveFor(t, defineAgent(agent));
        const client = await connect(url, { skills, bindings: [binding] });
        const outputs: unknown[] = [];
        for await (const { output } of client.skill("quote").stream(boat)) if (output) outputs.push(output);
        assert.deepEqual(outputs, [offer], `streaming: ${streaming}`);
      }
    });
  }
}
