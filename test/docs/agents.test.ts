import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "vitest";
import type { Agent } from "../../src/index.js";
import type { RunningServer } from "../../src/server/index.js";
import { type Peer, rpcPeer, serveFor, text } from "../support/peer.js";
import { codeBlocks, run } from "./code-blocks.js";

const blocks = codeBlocks("docs/agents.md");
const shown = new Set<string>();

/** Serves the agent that a block of the page declares, and shows what the page says of it. */
function page(name: string, show: (peer: Peer, names: any, t: TestContext) => Promise<void>): void {
  shown.add(name);
  test(`docs/agents.md: ${name} does what the page says`, async (t) => {
    const block = blocks.find((one) => one.name === name);
    assert.ok(block, `the page has no block ${name}`);
    const names = (await run(block)) as { agent: Agent; server?: RunningServer };
    const { agent, server } = names;
    if (server) t.onTestFinished(() => server.close());
    await show(server ? rpcPeer(server.url) : (await serveFor(t, agent)).rpc, names, t);
  });
}

/** Sends words and gives the task or message that comes of them. */
async function send(peer: Peer, words: string, message: object = {}, headers = {}) {
  const { result } = await peer.call("SendMessage", text(words, { message }), headers);
  return result.task ?? result.message;
}

page("shouter", async (peer) => {
  const task = await send(peer, "hello");
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.equal(task.artifacts[0].parts[0].text, "HELLO");
});

page("echo", async (peer) => {
  assert.equal((await send(peer, "hello")).parts[0].text, "hello");
});

page("oracle", async (peer) => {
  const { result } = await peer.call(
    "SendMessage",
    text("Will it rain?", { configuration: { returnImmediately: true } }),
  );
  assert.equal(result.task.status.state, "TASK_STATE_SUBMITTED");
  const { status } = await send(peer, "Will it rain?");
  assert.deepEqual([status.state, status.message.parts[0].text], ["TASK_STATE_COMPLETED", "Perhaps."]);
});

page("counter", async (peer) => {
  const { artifacts, status } = await send(peer, "4");
  assert.equal(status.state, "TASK_STATE_COMPLETED");
  assert.equal(artifacts[0].parts.map((part: any) => part.text).join(""), "1 2 3 4 ");
  assert.deepEqual(artifacts[1].parts[0].data, { sum: 10 });
});

page("tailor", async (peer) => {
  const { id } = await send(peer, "shirt");
  const second = await send(peer, "large", { taskId: id });
  assert.equal(second.status.message.parts[0].text, "Which colour?");
  const { artifacts } = await send(peer, "red", { taskId: id });
  assert.deepEqual(artifacts[0].parts[0].data, { item: "shirt", size: "large", colour: "red" });
});

page("planner", async (peer) => {
  const { id, status } = await send(peer, "plan");
  assert.equal(status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.match((await send(peer, "Lisbon", { taskId: id })).status.message.parts[0].text, /in Lisbon/);
});

page("printer", async (peer) => {
  const configuration = { returnImmediately: true };
  const { id } = (await peer.call("SendMessage", text("print", { configuration }))).result.task;
  const refused = await peer.call("CancelTask", { id, metadata: { reason: "paper" } });
  assert.deepEqual([refused.error, refused.message], ["TASK_NOT_CANCELABLE", "The page is half printed"]);
  assert.equal((await peer.call("CancelTask", { id })).result.status.state, "TASK_STATE_CANCELED");
});

page("desk", async (peer) => {
  assert.match((await send(peer, "Where is the bar?")).parts[0].text, /Left/);
  assert.match((await send(peer, "What time is it?")).parts[0].text, /^\d{4}-/);
});

page("listener", async (peer) => {
  const contextId = "talk";
  await send(peer, "one", { contextId });
  assert.equal((await send(peer, "two", { contextId })).parts[0].text, "You said: one, two");
  assert.equal((await send(peer, "three")).parts[0].text, "You said: three");
});

page("queue", async (peer) => {
  const uri = "https://example.com/extensions/priority/v1";
  const headers = { "A2A-Extensions": uri };
  const urgent = await send(peer, "go", { metadata: { [uri]: { level: 1 } } }, headers);
  assert.equal(urgent.artifacts[0].parts[0].text, "Priority 1");
  assert.deepEqual(
    [urgent.artifacts[0].extensions, urgent.artifacts[0].metadata],
    [[uri], { [uri]: { level: 1 } }],
  );
  const plain = await send(peer, "go", { metadata: { [uri]: { level: 1 } } });
  assert.equal(plain.artifacts[0].parts[0].text, "Priority 3");
  const wrong = text("go", { message: { metadata: { [uri]: { level: 9 } } } });
  assert.deepEqual((await peer.call("SendMessage", wrong, headers)).fields, [
    `message.metadata["${uri}"].level`,
  ]);
});

page("converter", async (peer) => {
  const { id, status } = await send(peer, "crowns");
  assert.equal(status.state, "TASK_STATE_INPUT_REQUIRED");
  const { artifacts } = await send(peer, "21", { taskId: id });
  assert.equal(artifacts[0].parts[0].text, "42 florins");
});

page("archive", async (peer) => {
  const refused = await peer.call("SendMessage", text("seven"));
  assert.deepEqual([refused.error, refused.fields], ["INVALID_PARAMS", ["message.parts[0].text"]]);
  assert.match((await send(peer, "13")).status.message.parts[0].text, /flood/);
  const failed = await send(peer, "0");
  assert.equal(failed.status.state, "TASK_STATE_FAILED");
  assert.doesNotMatch(JSON.stringify(failed), /fire/);
  assert.equal((await send(peer, "7")).status.state, "TASK_STATE_COMPLETED");
});

page("serving", async (_, { server }) => {
  assert.equal((await send(rpcPeer(`${server.url}/echo`), "hello")).parts[0].text, "hello");
  const { name } = (await (await fetch(`${server.url}/clock/.well-known/agent-card.json`)).json()) as any;
  assert.equal(name, "Clock");
});

page("mounted", async (_, { web, app }, t) => {
  web.listen(0, "127.0.0.1");
  await once(web, "listening");
  t.onTestFinished(() => {
    app.close();
    web.close();
    web.closeAllConnections();
  });
  const url = `http://127.0.0.1:${web.address().port}`;
  assert.equal((await send(rpcPeer(`${url}/echo`), "hello")).parts[0].text, "hello");
  assert.equal(await (await fetch(`${url}/elsewhere`)).text(), "There is an agent at /echo.");
});

page("handler", async (_, { default: server, handler }, t) => {
  t.onTestFinished(() => handler.close(0));
  const call = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: text("hello") };
  const headers = { "Content-Type": "application/json", "A2A-Version": "1.0" };
  const request = new Request("http://agent.test/echo", {
    method: "POST",
    headers,
    body: JSON.stringify(call),
  });
  const { result } = (await (await server.fetch(request)).json()) as any;
  assert.equal(result.message.parts[0].text, "hello");
});

page("bridge", async (peer) => {
  assert.equal((await send(peer, "hello")).parts[0].text, "They say: hello");
  assert.equal((await peer.call("GetTask", { id: "t" })).error, "UNSUPPORTED_OPERATION");
});

test("every block of docs/agents.md is run", () => {
  assert.deepEqual(
    blocks.map(({ name }) => name),
    [...shown],
  );
});

test("docs/agents.md and the option itself say that extendedCardForAnyone contradicts the specification", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const [, comment = ""] =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly extendedCardForAnyone\?/.exec(
      read("src/agent/define-agent.ts"),
    ) ?? [];
  assert.match(comment, /contradicts §13\.3/);
  assert.match(read("docs/agents.md"), /^\| `extendedCardForAnyone: true` \|.*§13\.3/m);
});
