import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type TestContext, test } from "vitest";
import type { ServeOptions } from "../../src/server/index.js";
import { isGrpc } from "../support/hosts.js";
import { serveFor } from "../support/peer.js";
import { agent } from "./agent.js";
import { Terminal } from "./terminal.js";

async function terminal(t: TestContext, more = {}, options: ServeOptions = {}): Promise<Terminal> {
  return new Terminal(t, (await serveFor(t, agent(more), options)).url);
}

test("A2ACLI_SEND_001, A2ACLI_OUT_005: text has one field per line, blocks for content, and no control sequences", async (t) => {
  const { exit, out, err } = await (await terminal(t)).parley("send", "make one two");
  assert.deepEqual({ exit, err }, { exit: 0, err: "" });
  const id = "[0-9a-f-]{36}";
  const expected = [
    `Task: ${id}`,
    `Context: ${id}`,
    "State: TASK_STATE_COMPLETED",
    `Message: ${id}`,
    "Text:",
    "done red",
    "",
    `Artifact: answer \\(${id}\\)`,
    "Text:",
    "one",
    "two",
    "",
    `Artifact: table \\(${id}\\)`,
    "Data:",
    "\\{",
    '  "rows": 2',
    "\\}",
    "",
    "File: ../report.pdf, application/pdf, 4 bytes",
    "File: big.zip, unknown type, https://files.example/big.zip",
    "",
  ];
  assert.match(out, new RegExp(`^${expected.join("\n")}$`));
});

test("A2ACLI_SEND_002, A2ACLI_OUT_002: a send waits, and JSON is one document with the task as it ended", async (t) => {
  for (const streaming of [true, false]) {
    const card = { name: "Test agent", description: "Waits.", capabilities: { streaming } };
    const { json, exit } = await (await terminal(t, { card })).parley("send", "make it", "-o", "json");
    assert.equal(exit, 0);
    assert.deepEqual(Object.keys(json), ["task"]);
    assert.equal(json.task.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(
      json.task.artifacts.map(({ name }: { name: string }) => name),
      ["answer", "table"],
    );
  }
});

test("A2ACLI_SEND_002, A2ACLI_OUT_006: --async gives what is needed to ask later, and task get --wait waits", async (t) => {
  const shell = await terminal(t);
  const sent = await shell.parley("send", "wait", "--async", "-o", "json");
  const { id, contextId, status } = sent.json.task;
  assert.equal(status.state, "TASK_STATE_WORKING");
  assert.ok(contextId);
  assert.match(sent.err, new RegExp(`parley task get ${id} --wait`));
  const canceled = shell.parley("task", "get", id, "--wait", "--poll-interval", "20ms");
  assert.match((await shell.parley("task", "cancel", id)).out, /^State: TASK_STATE_CANCELED$/m);
  assert.match((await canceled).out, /^State: TASK_STATE_CANCELED$/m);
});

test("A2ACLI_SEND_003, A2ACLI_OUT_003: --stream prints each event on a line as it comes, the last one final", async (t) => {
  const shell = await terminal(t);
  const { lines, exit } = await shell.parley("send", "make one two", "--stream", "-o", "json");
  assert.equal(exit, 0);
  const kinds = lines.map((event) => Object.keys(event).join());
  assert.deepEqual(kinds, ["task", "artifactUpdate", "artifactUpdate", "artifactUpdate", "statusUpdate"]);
  assert.equal(lines.at(-1).statusUpdate.status.state, "TASK_STATE_COMPLETED");
  const text = await shell.parley("send", "make one", "--stream");
  assert.match(text.out, /Text:\none\n\n[\s\S]*State: TASK_STATE_COMPLETED\n/);
});

test("A2ACLI_SEND_003: a plain message, and an agent without streams, end a --stream in good order", async (t) => {
  const said = await (await terminal(t)).parley("send", "say hello", "--stream", "-o", "json");
  assert.deepEqual([said.exit, said.lines.length, said.lines[0].message.parts], [0, 1, [{ text: "hello" }]]);
  const card = { name: "Test agent", description: "No streams.", capabilities: { streaming: false } };
  const plain = await (await terminal(t, { card })).parley("send", "make it", "--stream", "-o", "json");
  assert.deepEqual([plain.exit, plain.lines.length], [0, 1]);
  assert.equal(plain.lines[0].task.status.state, "TASK_STATE_COMPLETED");
});

test("A2ACLI_SEND_005, A2ACLI_SEND_006: parts keep the order of their flags; a media type belongs to the one before", async (t) => {
  const shell = await terminal(t);
  writeFileSync(join(shell.folder, "table.csv"), "a,b");
  writeFileSync(join(shell.folder, "plain"), "bytes");
  shell.input = '{"n":1}';
  const first = await shell.parley(
    ...["send", "-o", "json", "parts", "--file", "table.csv", "--data", "-", "--file", "plain"],
    ...["--media-type", "image/png", "--file", "https://files.example/a.pdf"],
  );
  assert.equal(first.exit, 0, first.err);
  assert.deepEqual(first.json.message.parts, [
    { text: "parts" },
    { raw: btoa("a,b"), filename: "table.csv", mediaType: "text/csv" },
    { data: { n: 1 } },
    { raw: btoa("bytes"), filename: "plain", mediaType: "image/png" },
    { url: "https://files.example/a.pdf", filename: "a.pdf", mediaType: "application/pdf" },
  ]);
  for (const line of [
    ["--media-type", "a/b", "--text", "x"],
    ["--text", "x", "--data", "table.csv"],
  ]) {
    const { exit, err } = await shell.parley("send", ...line);
    assert.ok(exit > 0 && err.startsWith("error: "), line.join(" "));
  }
});

test("A2ACLI_INTERACT_002, A2ACLI_INTERACT_004, A2ACLI_TASK_POLL_003: a question stops the wait and says how to answer it", async (t) => {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t);
  const asked = await shell.parley("send", "-a", url, "ask", "-o", "json");
  const { id, contextId, status } = asked.json.task;
  assert.deepEqual([asked.exit, status.state], [0, "TASK_STATE_INPUT_REQUIRED"]);
  assert.ok(asked.err.includes(`hint: parley send -a ${url} --task-id ${id} "<your answer>"\n`), asked.err);
  const answered = await shell.parley(
    "send",
    "-a",
    url,
    "--task-id",
    id,
    "--context-id",
    contextId,
    "ask now",
  );
  assert.match(
    answered.out,
    new RegExp(`^Task: ${id}\nContext: ${contextId}\nState: TASK_STATE_COMPLETED\n`),
  );
  const again = await shell.parley("send", "-a", url, "--task-id", id, "once more", "-o", "json");
  assert.deepEqual([again.exit, again.json.error.code], [1, "UnsupportedOperationError"]);
  assert.match(again.json.error.hint, /--debug/);
  const { json } = await shell.parley("task", "list", "-a", url, "-o", "json");
  assert.equal(json.totalSize, 1, "no task was made in its place");
});

test("A2ACLI_TASK_POLL_003: a task that waits for a login stops every kind of wait", async (t) => {
  const shell = await terminal(t);
  for (const flags of [[], ["--stream"]]) {
    const { out, err, exit } = await shell.parley("send", "grant", ...flags);
    assert.equal(exit, 0);
    assert.match(out, /State: TASK_STATE_AUTH_REQUIRED/);
    assert.match(err, /^warning: the task waits for you: TASK_STATE_AUTH_REQUIRED$/m);
  }
});

test("A2ACLI_INTERACT_001, A2ACLI_INTERACT_003: a context is continued when it is given, and never made up", async (t) => {
  const shell = await terminal(t);
  const one = await shell.parley("send", "make it", "-o", "json");
  const { contextId } = one.json.task;
  const two = await shell.parley("send", "make it", "--context-id", contextId, "-o", "json");
  assert.equal(two.json.task.contextId, contextId);
  const three = await shell.parley("send", "make it", "-o", "json");
  assert.notEqual(three.json.task.contextId, contextId);
});

test("A2ACLI_EXIT_002: a failed task is a job done, with a warning", async (t) => {
  const { exit, out, err } = await (await terminal(t)).parley("send", "fail");
  assert.equal(exit, 0);
  assert.match(out, /State: TASK_STATE_FAILED\n/);
  assert.equal(err, "warning: the task ended as TASK_STATE_FAILED\n");
});

test("A2ACLI_TASK_POLL_002: --timeout and Ctrl+C end a wait, and the task is not lost", async (t) => {
  for (const streaming of [true, false]) {
    const card = { name: "Test agent", description: "Waits.", capabilities: { streaming } };
    const shell = await terminal(t, { card });
    const late = await shell.parley("send", "wait", "--timeout", "1.5s", "-o", "json");
    assert.deepEqual([late.exit, late.json.error.code], [5, "A2ACLI_ERR_TIMEOUT"]);
    const [, id] = /parley task get ([0-9a-f-]{36}) --wait/.exec(late.json.error.hint) ?? [];
    assert.match((await shell.parley("task", "get", id ?? "")).out, /State: TASK_STATE_WORKING/);
    const waiting = shell.watch((out) => out && shell.interrupt.abort(), "send", "wait", "--stream");
    if (!streaming) shell.interrupt.abort();
    const { exit, err } = await waiting;
    assert.equal(exit, 130);
    assert.match(err, /Interrupted \(PARLEY_ERR_INTERRUPTED\)/);
  }
});

test.skipIf(isGrpc)(
  "A2ACLI_TASK_POLL_004: when events do not come through, the task is asked for until it has ended",
  async (t) => {
    const shell = await terminal(t);
    let cuts = 0;
    shell.fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response;
      cuts += 1;
      if (cuts > 1) throw new TypeError("the network is down for streams");
      const { status, headers, body } = response;
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          controller.enqueue(bytes);
          setImmediate(() => controller.error(new TypeError("cut")));
        },
      });
      return new Response(body?.pipeThrough(cut) ?? null, { status, headers });
    };
    const sent = shell.parley("send", "wait", "-o", "json", "--poll-interval", "50ms", "--debug");
    const other = new Terminal(t, shell.env.A2ACLI_AGENT_CARD);
    for (;;) {
      const { json } = await other.parley("task", "list", "-o", "json");
      if (cuts > 1 && json.tasks.length > 0) {
        await other.parley("task", "cancel", json.tasks[0].id);
        break;
      }
    }
    const { json, err, exit } = await sent;
    assert.deepEqual([exit, json.task.status.state], [0, "TASK_STATE_CANCELED"], err);
    assert.match(err, /^debug: the stream failed: /m);
  },
);

test("A2ACLI_SEND_003: --stream to an agent that does not stream waits as send does, and leaves the id to a user who stops", async (t) => {
  const card = { name: "Test agent", description: "No streams.", capabilities: { streaming: false } };
  const shell = await terminal(t, { card });
  const stopped = await shell.parley("send", "wait", "--stream", "--timeout", "1s", "-o", "json");
  assert.deepEqual(
    [stopped.exit, stopped.lines.length, stopped.lines[0].error.code],
    [5, 1, "A2ACLI_ERR_TIMEOUT"],
  );
  assert.match(stopped.lines[0].error.hint, /parley task get [0-9a-f-]{36} --wait/);
  assert.match(stopped.err, /^warning: the agent does not support streaming/m);
  const asked = await shell.parley("send", "ask", "--stream", "-o", "json", "--poll-interval", "20ms");
  assert.equal(asked.lines.at(-1).task.status.state, "TASK_STATE_INPUT_REQUIRED");
});

test.skipIf(isGrpc)(
  "A2ACLI_SEND_003: a stream that the agent refuses, or that ends early, goes on with polling",
  async (t) => {
    const shell = await terminal(t);
    let polls = 0;
    shell.fetch = async (input, init) => {
      const { method } = JSON.parse(String(init?.body ?? "{}"));
      if (method === "GetTask") polls += 1;
      if (method === "SendStreamingMessage" || method === "SubscribeToTask")
        return new Response("Not Found", { status: 404 });
      if (method !== "SendMessage") return fetch(input, init);
      // An agent that answers at once, although it was asked to wait.
      const body = JSON.parse(String(init?.body));
      body.params.configuration = { returnImmediately: true };
      return fetch(input, { ...init, body: JSON.stringify(body) });
    };
    const sent = shell.parley("send", "wait", "--stream", "-o", "json", "--poll-interval", "20ms");
    while (polls < 2) await setTimeout(10);
    const { json } = await shell.parley("task", "list", "-o", "json");
    await shell.parley("task", "cancel", json.tasks[0].id);
    const { lines, exit, err } = await sent;
    assert.equal(exit, 0, err);
    assert.deepEqual(
      lines.map(({ task }) => task.status.state),
      ["TASK_STATE_WORKING", "TASK_STATE_CANCELED"],
    );
  },
);

test.skipIf(isGrpc)(
  "A2ACLI_TASK_POLL_002: --poll-interval 1s waits a second between two questions",
  async (t) => {
    const shell = await terminal(t);
    const { id } = (await shell.parley("send", "wait", "--async", "-o", "json")).json.task;
    const times: number[] = [];
    shell.fetch = (input, init) => {
      if (JSON.parse(String(init?.body ?? "{}")).method === "GetTask") times.push(performance.now());
      return fetch(input, init);
    };
    await shell.parley("task", "get", id, "--wait", "--poll-interval", "1s", "--timeout", "3500ms");
    assert.ok(times.length >= 3, `${times.length} questions`);
    for (const [index, time] of times.slice(1).entries())
      assert.ok(time - (times[index] ?? 0) >= 999, `asked again after ${time - (times[index] ?? 0)} ms`);
  },
);
