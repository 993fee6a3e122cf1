import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { exits, localExits } from "../../src/cli/failure.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { isGrpc } from "../support/hosts.js";
import { serveFor } from "../support/peer.js";
import { root } from "../support/root.js";
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
    [["send", "-a", url, "--data", '{"n":1}'], 2, "A2ACLI_ERR_USAGE"],
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
  assert.equal(exit, 6);
  assert.match(err, /no interface that this client can use. It offers: JSONRPC 1\.\d/);
});

test.skipIf(isGrpc)(
  "a version mismatch names both sides and exits with 6, whether the card or the agent says so",
  async (t) => {
    const older = new Terminal(t, (await serveFor(t, agent(), { versions: ["0.3"] })).url);
    const fromCard = await older.parley("send", "hi", "--a2a-min-version", protocolVersion, "-o", "json");
    assert.deepEqual([fromCard.exit, fromCard.json.error.code], [6, "VersionNotSupportedError"]);
    assert.match(
      fromCard.json.error.message,
      new RegExp(`It offers: JSONRPC 0\\.3.*The client calls .* in version ${protocolVersion}$`),
    );
    assert.match(fromCard.json.error.hint, /parley speaks (1\.\d+, )+0\.3/);
    // An agent whose card promises a version that it does not speak.
    const { url } = await serveFor(t, agent());
    const shell = new Terminal(t, url);
    shell.fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      if (init?.method === "POST") headers.set("A2A-Version", "7.1");
      return fetch(input, { ...init, headers });
    };
    const fromAgent = await shell.parley("send", "hi", "-o", "json");
    assert.deepEqual([fromAgent.exit, fromAgent.json.error.code], [6, "VersionNotSupportedError"]);
    assert.match(fromAgent.json.error.message, /7\.1/);
    assert.match(fromAgent.json.error.hint, /parley speaks (1\.\d+, )+0\.3/);
    // Without a common binding the versions are not to blame.
    const { json } = await shell.parley("card", "get", "-o", "json");
    const supportedInterfaces = [{ url, protocolBinding: "urn:example:other", protocolVersion: "1.0" }];
    writeFileSync(join(shell.folder, "grpc.json"), JSON.stringify({ ...json, supportedInterfaces }));
    const other = await shell.parley("send", "hi", "-a", "grpc.json", "-o", "json");
    assert.deepEqual([other.exit, other.json.error.code], [1, "A2ACLI_ERR_INTERNAL"]);
  },
);

test("an argument too many is answered with quotes, or with the flag that names an agent", async (t) => {
  const shell = new Terminal(t);
  const cases: [line: string[], told: string][] = [
    [
      ["send", "good", "morning"],
      'send has no argument "morning" (A2ACLI_ERR_USAGE)\nhint: put text with spaces into quotes',
    ],
    [
      ["send", "http://127.0.0.1:4000", "hi"],
      "hint: name the agent with `--agent-card http://127.0.0.1:4000`",
    ],
    [
      ["chat", "localhost:4000"],
      "hint: name the agent with `--agent-card localhost:4000`, or in the variable A2ACLI_AGENT_CARD",
    ],
    [
      ["task", "get", "1", "https://agent.example/a"],
      "hint: name the agent with `--agent-card https://agent.example/a`",
    ],
  ];
  for (const [line, told] of cases) {
    const { exit, err } = await shell.parley(...line);
    assert.equal(exit, 2);
    assert.ok(err.includes(told), err);
  }
});

test("an unknown command or flag is answered with the nearest one", async (t) => {
  const shell = new Terminal(t);
  const cases: [line: string[], told: string][] = [
    [["seend", "hi"], 'There is no command "seend"; did you mean "send"?'],
    [["task", "subscibe", "1"], 'There is no command "task subscibe"; did you mean "task subscribe"?'],
    [["tsak", "list"], 'There is no command "tsak"; did you mean "task list"?'],
    [["help", "crad"], 'There is no command "crad"; did you mean "card"?'],
    [["push", "lst", "1"], 'There is no command "push lst"; did you mean "push list"?'],
    [["card"], 'There is no command "card" ('],
    [["task", "xylophone"], 'There is no command "task xylophone" ('],
    [["send", "--straem", "hi"], "There is no option --straem; did you mean --stream?"],
    [["send", "-stream", "hi"], "There is no option -stream; did you mean --stream?"],
    [["task", "get", "1", "--poll-intervall=1s"], "did you mean --poll-interval?"],
    [["xylophone"], 'There is no command "xylophone" ('],
  ];
  for (const [line, told] of cases) {
    const { exit, err } = await shell.parley(...line);
    assert.equal(exit, 2);
    assert.ok(err.includes(told), err);
  }
});

test("--help after the first word of several shows the commands that begin with it", async (t) => {
  const shell = new Terminal(t);
  for (const line of [
    ["task", "--help"],
    ["-h", "task"],
    ["help", "task"],
  ]) {
    const { exit, out, err } = await shell.parley(...line);
    assert.deepEqual([exit, err], [0, ""], line.join(" "));
    assert.match(out, /^ {2}task get <taskId> /m);
    assert.doesNotMatch(out, /^ {2}send /m);
  }
  assert.match((await shell.parley("push", "--help")).out, /task push-config create/);
  assert.equal((await shell.parley("tusk", "--help")).exit, 2);
  assert.equal((await shell.parley("task")).exit, 2);
});

test("version is JSON when JSON is asked for", async (t) => {
  const shell = new Terminal(t);
  for (const line of [["version"], ["--version"], ["send", "--version"]]) {
    const { exit, json } = await shell.parley(...line, "-o", "json");
    assert.equal(exit, 0);
    assert.match(json.version, /^\d+\.\d+\.\d+$/);
  }
});

test("a value that an option cannot take is refused before anything is sent, with the place that it comes from", async (t) => {
  const shell = new Terminal(t, "localhost:9");
  for (const value of ["abc", "0", "0ms", "-1s", "1 s", ""]) {
    for (const line of [["send", "hi"], ["task", "get", "1", "--wait"], ["chat"]]) {
      const { exit, err } = await shell.parley(...line, `--poll-interval=${value}`);
      assert.equal(exit, 2, value);
      assert.match(err, /^error: --poll-interval takes a duration such as/);
    }
  }
  writeFileSync(join(shell.folder, ".env"), "A2ACLI_HISTORY=many\n");
  const { exit, err } = await shell.parley("task", "get", "1");
  assert.equal(exit, 2);
  assert.ok(err.startsWith(`error: A2ACLI_HISTORY in ${join(shell.folder, ".env")} takes an integer`), err);
});

test("every exit code and every local code is in docs/cli.md, with the exit that it has", () => {
  const page = readFileSync(join(root, "docs/cli.md"), "utf8");
  const rows = [...page.matchAll(/^\| (\d+) \| (.+) \| (.*) \|$/gm)];
  const documented = new Map(
    rows.flatMap(([, exit, , codes = ""]) =>
      [...codes.matchAll(/`([A-Z0-9]+_ERR_[A-Z_]+)`/g)].map(([, code]) => [code, Number(exit)]),
    ),
  );
  assert.deepEqual(Object.fromEntries(documented), localExits);
  const numbers = rows.map(([, exit]) => Number(exit));
  assert.deepEqual(numbers, Object.values(exits));
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
