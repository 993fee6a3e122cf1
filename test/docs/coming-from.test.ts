import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { test } from "vitest";
import { type Agent, artifact } from "../../src/index.js";
import type { RunningServer } from "../../src/server/index.js";
import { rpcPeer, serveExecutor, text } from "../support/peer.js";
import { codeBlocks, run } from "./code-blocks.js";
import { shows, steps } from "./console-blocks.js";

const page = "docs/coming-from.md";
const blocks = codeBlocks(page);

async function block(name: string): Promise<Record<string, unknown>> {
  const found = blocks.find((one) => one.name === name);
  assert.ok(found, `the page has no block ${name}`);
  return run(found);
}

test("docs/coming-from.md: the agent for users of the SDK, and the client that calls it", async (t) => {
  const { server } = (await block("shouter")) as { server: RunningServer };
  t.onTestFinished(() => server.close());
  const { shout } = (await block("shout")) as { shout: (url: string) => Promise<string> };
  assert.equal(await shout(server.url), "HELLO");
});

test("docs/coming-from.md: the agent for users of simple_a2a, below its path", async (t) => {
  const { server } = (await block("greeter")) as { server: RunningServer };
  t.onTestFinished(() => server.close());
  const { result } = await rpcPeer(`${server.url}/greeter`).call("SendMessage", text("Ann"), {
    "A2A-Version": "1.0",
  });
  assert.equal(result.task.artifacts[0].parts[0].text, "Hello, Ann");
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tasks/send",
    params: { message: { role: "user", parts: [{ text: "Ruby" }] } },
  });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${server.url}/greeter`, { method: "POST", headers, body });
  const flat = (await answer.json()) as { result: { artifacts: { parts: { text: string }[] }[] } };
  assert.equal(flat.result.artifacts[0]?.parts[0]?.text, "Hello, Ruby");
  assert.equal((await fetch(`${server.url}/greeter/agentCard`)).status, 200);
});

test("docs/coming-from.md: the adapted agent answers the transcripts of every version", async (t) => {
  const { server } = (await block("converter")) as { server: RunningServer; agent: Agent };
  t.onTestFinished(() => server.close());
  const all = steps(page);
  assert.equal(all.length, 5);
  for (const { command, output } of all) {
    const here = (line: string) => line.replaceAll("http://127.0.0.1:10000", server.url);
    const { stdout } = await promisify(execFile)("bash", ["-c", here(command)]);
    const expected = here(output).trimEnd().split("\n");
    const actual = stdout.trimEnd().split("\n");
    assert.equal(actual.length, expected.length, `${command}\n${stdout}`);
    for (const [index, line] of expected.entries()) {
      assert.ok(shows(line, actual[index] ?? ""), `${command}\nexpected ${line}\nprinted  ${actual[index]}`);
    }
  }
});

/** Posts a request of the first draft; what comes back, as text. */
async function post(url: string, method: string, params: object): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "Content-Type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body })).text();
}

const said = (text: string) => ({ role: "user", parts: [{ type: "text", text }] });

test("docs/coming-from.md: the agent for users of the gem a2a", async (t) => {
  const { server } = (await block("translator")) as { server: RunningServer };
  t.onTestFinished(() => server.close());
  const { result } = JSON.parse(await post(server.url, "tasks/send", { id: "t", message: said("hello") }));
  assert.deepEqual(result.artifacts[0].parts, [{ type: "text", text: "bonjour" }]);
});

test("docs/coming-from.md: the server written by hand and the agent that takes its place answer alike", async (t) => {
  const { web } = (await block("handwritten")) as { web: Server };
  t.onTestFinished(() => void web.close());
  const { server } = (await block("handover")) as { server: RunningServer };
  t.onTestFinished(() => server.close());
  if (!web.listening) await once(web, "listening");
  const before = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  for (const url of [before, server.url]) {
    const send = { id: "mine", message: said("hello") };
    const { result } = JSON.parse(await post(url, "tasks/send", send));
    const { status, artifacts } = result;
    assert.deepEqual([status.state, artifacts[0].parts[0].text], ["completed", "HELLO"], url);
    const read = JSON.parse(await post(url, "tasks/get", { id: "mine" })).result;
    assert.deepEqual([read.id, read.status.state], ["mine", "completed"]);
    assert.equal(JSON.parse(await post(url, "tasks/get", { id: "none" })).error.code, -32001);
    const stream = await post(`${url}/subscribe`, "tasks/sendSubscribe", { ...send, id: "other" });
    const events = [...stream.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "").result);
    assert.deepEqual(
      events.map(({ id, status: now, artifact, final }) => [id, now?.state ?? artifact.parts[0].text, final]),
      [
        ["other", "working", false],
        ["other", "HELLO", undefined],
        ["other", "completed", true],
      ],
      url,
    );
  }
});

test("docs/coming-from.md: what everyone meets is so", async (t) => {
  const { url, rpc } = await serveExecutor(
    t,
    async function* ({ text: words, message }) {
      if (words === "throw") throw new Error("the path /etc/secret");
      const lines = message.parts.flatMap((part) => part.text ?? []).join("\n");
      yield artifact().data({ words, lines });
    },
    { paths: { jsonRpc: ["/", "/a2a", "/subscribe"] } },
  );
  const parts = [{ text: "one" }, { text: "two" }];
  const { result } = await rpc.call("SendMessage", text("", { message: { parts } }));
  assert.deepEqual(result.task.artifacts[0].parts[0].data, { words: "onetwo", lines: "one\ntwo" });
  const failed = await rpc.call("SendMessage", text("throw"));
  assert.doesNotMatch(JSON.stringify(failed), /secret/);
  assert.equal((await rpc.call("CancelTask", { id: "none" })).error, "TASK_NOT_FOUND");
  assert.equal((await rpc.call("CancelTask", { id: result.task.id })).error, "TASK_NOT_CANCELABLE");
  for (const path of ["/", "/a2a", "/subscribe"]) {
    const body = JSON.stringify({ jsonrpc: "2.0", method: "GetTask", params: { id: result.task.id } });
    const headers = { "Content-Type": "application/json", "A2A-Version": "1.0" };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
    const answer = (await response.json()) as { id: unknown; result: { id: string } };
    assert.deepEqual([answer.id, answer.result.id], [null, result.task.id], path);
  }
});
