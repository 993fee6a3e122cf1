import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { isAgentCard } from "../../src/protocol/model.js";
import { Terminal } from "./terminal.js";

/** Serves a mock agent until the end of the test; its URL. */
async function mock(t: TestContext, file?: object): Promise<string> {
  const shell = new Terminal(t);
  if (file !== undefined) writeFileSync(join(shell.folder, "agent.json"), JSON.stringify(file));
  const line = ["serve", ...(file === undefined ? [] : ["agent.json"]), "--port", "0", "-o", "json"];
  let served: Promise<unknown> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    served = shell.watch((out) => resolve(JSON.parse(out).url), ...line);
    served.then(() => reject(new Error("It ended")), reject);
  });
  t.onTestFinished(async () => {
    shell.interrupt.abort();
    await served;
  });
  return url;
}

const card = { name: "Desk", description: "Answers by rules.", capabilities: { streaming: true } };

test("A2ACLI_DEMO_SERVER_001: rules decide what a mock agent answers, the first that fits", async (t) => {
  const rules = [
    { match: "^hello", reply: "Hello to you" },
    { match: "city", state: "input-required", message: "Which city?" },
    { match: "plan (.*)", working: ["Looking"], artifact: { name: "plan", text: "You said: {text}" } },
    { match: "numbers", artifact: { data: [1, 2] }, state: "failed", message: "Too many", delay: 0.01 },
  ];
  const shell = new Terminal(t, await mock(t, { card, rules }));
  assert.match((await shell.parley("send", "Hello")).out, /^Text:\nHello to you\n/m);
  assert.match(
    (await shell.parley("send", "a city")).out,
    /State: TASK_STATE_INPUT_REQUIRED[\s\S]*Which city\?/,
  );
  assert.match(
    (await shell.parley("send", "plan it")).out,
    /COMPLETED[\s\S]*Artifact: plan[\s\S]*You said: plan it/,
  );
  const { json } = await shell.parley("send", "numbers", "-o", "json");
  assert.deepEqual(
    [json.task.status.state, json.task.artifacts[0].parts],
    ["TASK_STATE_FAILED", [{ data: [1, 2] }]],
  );
  assert.match((await shell.parley("send", "else")).out, /State: TASK_STATE_REJECTED/);
});

test("without a file the mock agent is an echo, whose card is valid", async (t) => {
  const shell = new Terminal(t, await mock(t));
  assert.match((await shell.parley("send", "good morning")).out, /Artifact: echo .*\nText:\ngood morning\n/);
  const { json } = await shell.parley("card", "get", "-o", "json");
  assert.ok(isAgentCard(json));
});

test("a file with a fault is refused, with its place", async (t) => {
  const shell = new Terminal(t);
  const faults: [file: unknown, fault: RegExp][] = [
    [[], /needs a "card"/],
    [{ card: { name: "Desk" }, rules: [] }, /card\.description must be a string/],
    [{ card, rules: [{ match: "(" }] }, /rules\[0\]\.match must be a regular expression/],
    [{ card, rules: [{}, { answer: "x" }] }, /rules\[1\]\.answer is unknown; a rule can have: match, reply/],
    [{ card, rules: [{ state: "done" }] }, /rules\[0\]\.state must be completed, failed/],
    [{ card: { ...card, skills: [{ id: 1 }] }, rules: [] }, /skills\[0\]/],
  ];
  for (const [file, fault] of faults) {
    writeFileSync(join(shell.folder, "agent.json"), JSON.stringify(file));
    const { exit, err } = await shell.parley("serve", "agent.json", "--port", "0");
    assert.equal(exit, 1, err);
    assert.match(err, fault);
  }
});
