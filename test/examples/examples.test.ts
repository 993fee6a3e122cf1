import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { host } from "../../examples/orchestrator/agent.js";
import { specialists } from "../../examples/orchestrator/specialists.js";
import { connect } from "../../src/client/index.js";
import { serve } from "../../src/server/index.js";
import { play, shown } from "./play.js";

/** Examples in which agents work side by side: who comes first is left open. */
const sideBySide = ["orchestrator", "research"];
/** Those that are no walk through the library: they are served for people and for testers. */
const served = ["operations", "deployment", "demo", "probe-agent"];

// The model that the transcript shows is the made-up one.
delete process.env.OPENAI_API_KEY;

const folder = new URL("../../examples/", import.meta.url);
const names = readdirSync(folder, { withFileTypes: true }).flatMap((each) =>
  each.isDirectory() && !served.includes(each.name) ? each.name : [],
);

for (const name of names) {
  test(`examples/${name} prints what its README shows`, async () => {
    const order = (lines: string[]) => (sideBySide.includes(name) ? lines.sort() : lines);
    // Where exactly the network breaks is up to the machine; that it does is not.
    const isBreak = (line: string) => line === "(the connection breaks)";
    const printed = await play(name);
    const expected = shown(name);
    assert.deepEqual(
      order(printed.filter((line) => !isBreak(line))),
      order(expected.filter((line) => !isBreak(line))),
    );
    assert.equal(printed.filter(isBreak).length, expected.filter(isBreak).length);
  });
}

test("the index of the examples names each of them, and each README the files that there are", () => {
  const links = (page: string) =>
    [...readFileSync(new URL(page, folder), "utf8").matchAll(/\]\(([\w.-]+)\)/g)].map(([, target]) => target);
  assert.deepEqual(links("README.md").sort(), [...names, ...served].sort());
  for (const name of names) {
    const files = readdirSync(new URL(name, folder)).filter((file) => file !== "README.md");
    assert.deepEqual(links(`${name}/README.md`).sort(), files.sort(), name);
  }
});

test("examples/research: with a key the answers are those of the model that the environment names", async (t) => {
  const asked: { url?: string; key?: string; model: string; topic: string }[] = [];
  const service = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const { model, messages } = JSON.parse(text);
    asked.push({ url: request.url!, key: request.headers.authorization!, model, topic: messages[1].content });
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const content of ["It ", "depends."]) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    }
    response.end('data: {"choices":[]}\n\ndata: [DONE]\n\n');
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const env = {
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`,
    OPENAI_MODEL: "m",
  };
  Object.assign(process.env, env);
  t.onTestFinished(() => {
    for (const name of Object.keys(env)) delete process.env[name];
    service.close();
  });

  const printed = await play("research", "Night trains");
  assert.ok(printed.includes("Optimist: It depends."));
  assert.ok(printed.includes("Evaluator: It depends."));
  assert.deepEqual(asked.slice(0, 2), [
    { url: "/v1/chat/completions", key: "Bearer k", model: "m", topic: "Night trains" },
    { url: "/v1/chat/completions", key: "Bearer k", model: "m", topic: "Night trains" },
  ]);
  assert.match(asked[2]?.topic ?? "", /First answer: It depends\.\n\nSecond answer: It depends\./);
});

test("examples/orchestrator: canceling the dinner cancels what was delegated", async (t) => {
  const kitchen = await serve(specialists);
  t.onTestFinished(() => kitchen.close());
  const house = await serve(host(kitchen.url));
  t.onTestFinished(() => house.close());
  const client = await connect(house.url);
  const { task } = await client.sendText("Dinner");
  assert.equal(task?.status.state, "TASK_STATE_INPUT_REQUIRED");
  const sommelier = await connect(`${kitchen.url}/sommelier`);
  const [delegated] = (await sommelier.listTasks({})).tasks;
  assert.equal(delegated?.status.state, "TASK_STATE_INPUT_REQUIRED");
  const stopped = sommelier.subscribeToTask({ id: delegated.id }).result();
  await client.cancelTask({ id: task.id });
  assert.equal((await stopped).task?.status.state, "TASK_STATE_CANCELED");
});
