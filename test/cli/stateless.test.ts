import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { isGrpc } from "../support/hosts.js";
import { serveFor } from "../support/peer.js";
import { agent } from "./agent.js";
import { Terminal } from "./terminal.js";

test("A2ACLI_SEND_004: every part of an answer is shown, whatever it is and wherever it stands", async (t) => {
  const shell = new Terminal(t, (await serveFor(t, agent())).url);
  shell.input = '{"n":1}';
  const parts = [
    ...["--data", "-", "--file", "https://files.example/a.bin"],
    ...["--media-type", "image/tiff", "--text", "last"],
  ];
  const message = await shell.parley("send", "--text", "parts of all kinds", ...parts);
  assert.equal(message.exit, 0, message.err);
  assert.match(
    message.out,
    /^Text:\nparts of all kinds\n\nData:\n\{\n {2}"n": 1\n\}\n\nFile: .*image\/tiff, https:\/\/files\.example\/a\.bin\nText:\nlast\n/m,
  );
  // The same over a stream, in the artifacts of a task, and when the task is read later.
  for (const line of [
    ["send", "make one"],
    ["send", "make one", "--stream"],
  ]) {
    const { out } = await shell.parley(...line);
    for (const shown of [
      /^Text:\none$/m,
      /^ {2}"rows": 2$/m,
      /^File: \.\.\/report\.pdf/m,
      /^File: big\.zip/m,
    ])
      assert.match(out, shown, line.join(" "));
  }
  const { json } = await shell.parley("send", "make one", "-o", "json");
  assert.deepEqual(
    json.task.artifacts.flatMap(({ parts }: { parts: object[] }) => parts.flatMap(Object.keys)).sort(),
    ["data", "filename", "filename", "mediaType", "raw", "text", "url"],
  );
});

test("A2ACLI_INTERACT_005: no command stores an identifier or continues by itself", async (t) => {
  const shell = new Terminal(t, (await serveFor(t, agent())).url);
  const asked = (await shell.parley("send", "ask", "-o", "json")).json.task;
  shell.input = "ask\nmake it\n";
  assert.equal((await shell.parley("chat")).exit, 0);
  await shell.parley("task", "get", asked.id);
  await shell.parley("send", "wait", "--async");
  assert.deepEqual([readdirSync(shell.folder), readdirSync(shell.home)], [[], []]);
  // The next send begins anew; only identifiers on the command line continue.
  const next = (await shell.parley("send", "ask", "-o", "json")).json.task;
  assert.notEqual(next.id, asked.id);
  assert.notEqual(next.contextId, asked.contextId);
  const answered = (await shell.parley("send", "make it", "--task-id", asked.id, "-o", "json")).json.task;
  assert.deepEqual([answered.id, answered.contextId], [asked.id, asked.contextId]);
  for (const { options } of commands) assert.ok(!options.some(({ name }) => name === "continue"));
  assert.equal((await shell.parley("send", "hi", "--continue")).exit, 2);
});

test.skipIf(isGrpc)(
  "A2ACLI_TASK_POLL_001: task get asks once, and with --wait until the task has ended or waits for its caller",
  async (t) => {
    const shell = new Terminal(t, (await serveFor(t, agent())).url);
    let questions = 0;
    shell.fetch = (input, init) => {
      const { method } = JSON.parse(String(init?.body ?? "{}"));
      if (method === "GetTask") questions += 1;
      assert.ok(!/Stream|Subscribe/.test(method ?? ""), "polling needs no stream");
      return fetch(input, init);
    };
    const { task } = (await shell.parley("send", "wait", "--async", "-o", "json")).json;
    const once = await shell.parley("task", "get", task.id, "-o", "json");
    assert.deepEqual([once.json.status.state, questions], ["TASK_STATE_WORKING", 1]);
    questions = 0;
    const waiting = shell.parley("task", "get", task.id, "--wait", "--poll-interval", "10ms", "-o", "json");
    while (questions < 3) await new Promise((resolve) => setImmediate(resolve));
    await new Terminal(t, shell.env.A2ACLI_AGENT_CARD).parley("task", "cancel", task.id);
    assert.equal((await waiting).json.status.state, "TASK_STATE_CANCELED");
    const asked = (await shell.parley("send", "ask", "--async", "-o", "json")).json.task;
    const line = ["task", "get", asked.id, "--wait", "--poll-interval", "10ms", "-o", "json"];
    assert.equal((await shell.parley(...line)).json.status.state, "TASK_STATE_INPUT_REQUIRED");
  },
);

test.skipIf(isGrpc)(
  "A2ACLI_TASK_SUBSCRIBE_002: a stream that is cut is taken up again, and begins with the whole task",
  async (t) => {
    const shell = new Terminal(t, (await serveFor(t, agent())).url);
    const { id } = (await shell.parley("send", "wait", "--async", "-o", "json")).json.task;
    const begun: string[] = [];
    shell.fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response;
      begun.push(JSON.parse(String(init?.body)).method);
      if (begun.length > 1) {
        void new Terminal(t, shell.env.A2ACLI_AGENT_CARD).parley("task", "cancel", id);
        return response;
      }
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          controller.enqueue(bytes);
          setImmediate(() => controller.error(new TypeError("cut")));
        },
      });
      const { status, headers, body } = response;
      return new Response(body?.pipeThrough(cut) ?? null, { status, headers });
    };
    const { lines, exit, err } = await shell.parley("task", "subscribe", id, "--stream", "-o", "json");
    assert.equal(exit, 0, err);
    assert.deepEqual(begun, ["SubscribeToTask", "SubscribeToTask"]);
    assert.equal(lines[0].task.id, id);
    assert.equal(lines.at(-1).statusUpdate.status.state, "TASK_STATE_CANCELED");
  },
);

test("A2ACLI_OUT_007: --debug shows the messages on the wire on stderr, and leaves stdout as it was", async (t) => {
  const shell = new Terminal(t, (await serveFor(t, agent())).url);
  for (const transport of ["JSONRPC", "HTTP+JSON"]) {
    const { out, err } = await shell.parley(
      "send",
      "say hi",
      "--debug",
      "--transport",
      transport,
      "-o",
      "json",
    );
    assert.equal(JSON.parse(out).message.parts[0].text, "hi");
    assert.match(err, /^debug: > POST http:\/\/127\.0\.0\.1:\d+\/.* \| a2a-version: 1\.\d+/m);
    assert.match(err, /^debug: > \{.*"parts":\[\{"text":"say hi"/m);
    assert.match(err, /^debug: < 200 after \d+ ms \| .*content-type: /m);
    assert.match(err, /^debug: < .*"text":"hi"/m);
    const quiet = await shell.parley("send", "say hi", "--transport", transport);
    assert.equal(quiet.err, "");
  }
});
