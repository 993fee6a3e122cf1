import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { test } from "vitest";
import type { Agent } from "../../src/index.js";
import type { RunningServer } from "../../src/server/index.js";
import { rpcPeer, text } from "../support/peer.js";
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
