import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { serveFor } from "../support/peer.js";
import { agent } from "./agent.js";
import { Terminal } from "./terminal.js";

/** A server of anything; its URL. */
async function site(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("A2ACLI_EXIT_001, A2ACLI_OUT_004: each failure has its code, its exit, and one JSON document", async (t) => {
  const { url } = await serveFor(t, agent());
  const page = await site(t, (_, response) =>
    response.setHeader("Content-Type", "text/html").end("<p>hello"),
  );
  const nothing = await site(t, (_, response) => response.writeHead(404).end());
  const gone = await site(t, (request) => request.socket.destroy());
  const cases: [line: string[], exit: number, code: string][] = [
    [["send", "-a", url], 2, "A2ACLI_ERR_USAGE"],
    [["send", "hi"], 2, "A2ACLI_ERR_USAGE"],
    [["send", "-a", url, "hi", "there"], 2, "A2ACLI_ERR_USAGE"],
    [["send", "-a", url, "hi", "--async", "--stream"], 2, "A2ACLI_ERR_USAGE"],
    [["send", "-a", url, "hi", "--metadata", "[]"], 2, "A2ACLI_ERR_USAGE"],
    [["send", "-a", url, "hi", "--timeout", "soon"], 2, "A2ACLI_ERR_USAGE"],
    [["send", "-a", url, "hi", "--transport", "pigeon"], 2, "A2ACLI_ERR_USAGE"],
    [["card", "get", "--wait"], 2, "A2ACLI_ERR_USAGE"],
    [["task", "get", "-a", url], 2, "A2ACLI_ERR_USAGE"],
    [["fly"], 2, "A2ACLI_ERR_USAGE"],
    [["card", "get", "-a", "./none.json"], 3, "A2ACLI_ERR_CARD_NOT_FOUND"],
    [["send", "-a", nothing, "hi"], 3, "A2ACLI_ERR_CARD_NOT_FOUND"],
    [["send", "-a", gone, "hi"], 3, "A2ACLI_ERR_UNREACHABLE"],
    [["send", "-a", page, "hi"], 1, "A2ACLI_ERR_CARD_INVALID"],
    [["card", "get", page], 1, "A2ACLI_ERR_CARD_INVALID"],
    [["send", "-a", url, "--file", "none.txt"], 1, "PARLEY_ERR_FILE"],
    [["send", "-a", url, "hi", "--task-id", "none"], 1, "TaskNotFoundError"],
    [["push", "list", "none", "-a", url], 1, "PushNotificationNotSupportedError"],
    [["card", "get", "-a", url, "--extended"], 1, "UnsupportedOperationError"],
  ];
  const shell = new Terminal(t);
  for (const [line, exit, code] of cases) {
    const outcome = await shell.parley(...line, "-o", "json");
    assert.deepEqual([outcome.exit, outcome.json.error.code], [exit, code], line.join(" "));
    assert.deepEqual(Object.keys(outcome.json.error), ["code", "message", "hint", "a2aCode"]);
    assert.match(outcome.err, /^error: /);
    const { out } = await shell.parley(...line);
    assert.equal(out, "", "without JSON a failure is no payload");
  }
});

test("A2ACLI_OUT_003: a stream that fails ends with an error on a line of its own", async (t) => {
  const { url } = await serveFor(t, agent());
  const { lines, exit } = await new Terminal(t, url).parley(
    ...["task", "subscribe", "none", "--stream", "-o", "json"],
  );
  assert.deepEqual([exit, lines.length, lines[0].error.code], [1, 1, "TaskNotFoundError"]);
});

test("A2ACLI_VER_001: a version that the agent does not speak is refused, not replaced", async (t) => {
  const { url } = await serveFor(t, agent());
  const { exit, err } = await new Terminal(t, url).parley("send", "hi", "--a2a-version", "7.1");
  assert.equal(exit, 1);
  assert.match(err, /no interface that this client can use. It offers: JSONRPC 1\.\d/);
});

test("A2ACLI_CLI_001, A2ACLI_DEFAULT_001: help shows every command and the defaults in force; version the version", async (t) => {
  const shell = new Terminal(t);
  const { out, exit } = await shell.parley("help");
  assert.equal(exit, 0);
  for (const { path } of commands) assert.ok(out.includes(`\n  ${path.join(" ")} `), path.join(" "));
  shell.env.A2ACLI_POLL_INTERVAL = "9s";
  for (const line of [
    ["send", "--help"],
    ["help", "send"],
    ["-h", "send"],
  ]) {
    const page = await shell.parley(...line);
    assert.match(page.out, /--output <text\|json> .*\(default: text\)/);
    if (line[0] !== "help") assert.match(page.out, /--poll-interval .*\(9s, by A2ACLI_POLL_INTERVAL\)/);
  }
  assert.match((await shell.parley("help", "task")).out, /task get[\s\S]*task push-config create/);
  for (const line of [["version"], ["--version"], ["-v"]])
    assert.match((await shell.parley(...line)).out, /^\d+\.\d+\.\d+\n$/);
  const bare = await shell.parley();
  assert.deepEqual([bare.exit, bare.out], [2, ""]);
});

test("colour and progress are for terminals, and NO_COLOR is heeded", async (t) => {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t, url);
  shell.isTerminal = true;
  const colourful = await shell.parley("send", "fail");
  const start = "\u001b";
  assert.ok(colourful.err.startsWith(`\r${start}[Ksent …`), colourful.err);
  assert.ok(colourful.err.includes(`${start}[33mwarning:${start}[0m the task ended`), colourful.err);
  assert.ok(!colourful.out.includes(start));
  shell.env.NO_COLOR = "1";
  const plain = await shell.parley("send", "fail");
  assert.ok(plain.err.includes("Kwarning: the task ended"), plain.err);
});
