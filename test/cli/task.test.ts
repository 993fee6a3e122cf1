import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { test } from "vitest";
import { type AgentDefinition, artifact, completed, filePart } from "../../src/index.js";
import { freePort } from "../support/free-port.js";
import { isGrpc } from "../support/hosts.js";
import { serveFor } from "../support/peer.js";
import { agent } from "./agent.js";
import { Terminal } from "./terminal.js";

test("A2ACLI_TASK_GET_001: a task is shown with all it has made, and its history when asked for", async (t) => {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t, url);
  const { id } = (await shell.parley("send", "make one", "-o", "json")).json.task;
  const { out } = await shell.parley("task", "get", id);
  assert.match(
    out,
    /^Task: [\s\S]*State: TASK_STATE_COMPLETED\n[\s\S]*Artifact: answer [\s\S]*Text:\none\n\n/,
  );
  assert.doesNotMatch(out, /History/);
  assert.match(
    (await shell.parley("task", "get", id, "--verbose")).out,
    /^History: .*\nRole: ROLE_USER\nText:\nmake one\n/m,
  );
  const { json } = await shell.parley("task", "get", id, "--history", "1", "-o", "json");
  assert.deepEqual([json.id, json.history.length, json.artifacts.length], [id, 1, 2]);
});

test("A2ACLI_TASK_CANCEL_001, A2ACLI_OUT_004: a task that has ended is not canceled, by the protocol's own error, on both bindings", async (t) => {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t, url);
  const { id } = (await shell.parley("send", "make one", "-o", "json")).json.task;
  for (const binding of ["jsonrpc", "HTTP+JSON"]) {
    const line = ["task", "cancel", id, "-o", "json", "--transport", "grpc", "--transport", binding];
    const { exit, json, err } = await shell.parley(...line);
    assert.deepEqual([exit, json.error.code], [1, "TaskNotCancelableError"]);
    assert.match(err, /^error: .* \(TaskNotCancelableError\)\nhint: /);
  }
});

test("A2ACLI_TASK_LIST_001: tasks are listed by state and context, page by page or one after the other", async (t) => {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t, url);
  const { contextId } = (await shell.parley("send", "make one", "-o", "json")).json.task;
  await shell.parley("send", "ask", "--context-id", contextId);
  await shell.parley("send", "ask");
  const page = await shell.parley("task", "list", "--page-size", "2", "-o", "json");
  assert.deepEqual([page.json.tasks.length, page.json.totalSize], [2, 3]);
  const rest = await shell.parley("task", "list", "--page-token", page.json.nextPageToken, "-o", "json");
  assert.equal(rest.json.tasks.length, 1);
  const waiting = ["task", "list", "--status", "input-required", "--context-id", contextId];
  assert.match(
    (await shell.parley(...waiting)).out,
    /^Task: .*\nContext: .*\nState: TASK_STATE_INPUT_REQUIRED\nTasks: 1 of 1\n$/,
  );
  const all = await shell.parley("task", "list", "--page-size", "1", "--stream", "-o", "json");
  assert.equal(all.lines.length, 3);
  assert.equal((await shell.parley("task", "list", "--status", "busy")).exit, 2);
});

test("A2ACLI_TASK_SUBSCRIBE_001: a subscription begins with the task and ends with its last event", async (t) => {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t, url);
  const { id } = (await shell.parley("send", "wait", "--async", "-o", "json")).json.task;
  let canceled: Promise<unknown> | undefined;
  const cancel = () => {
    canceled ??= shell.parley("task", "cancel", id);
  };
  const { lines } = await shell.watch(cancel, "task", "subscribe", id, "--stream", "-o", "json");
  await canceled;
  assert.deepEqual([lines[0].task.id, lines[0].task.status.state], [id, "TASK_STATE_WORKING"]);
  assert.equal(lines.at(-1).statusUpdate.status.state, "TASK_STATE_CANCELED");
  const ended = await shell.parley("task", "subscribe", id, "-o", "json", "--stream");
  assert.deepEqual([ended.exit, ended.lines[0].error.code], [1, "UnsupportedOperationError"]);
});

test.skipIf(isGrpc)(
  "a task of an agent without subscriptions is followed by asking at intervals",
  async (t) => {
    const { url } = await serveFor(t, agent());
    const shell = new Terminal(t, url);
    const platform = shell.fetch;
    let questions = 0;
    shell.fetch = async (input, init) => {
      const { method } = JSON.parse(String(init?.body ?? "{}"));
      if (method === "GetTask") questions += 1;
      return method === "SubscribeToTask"
        ? new Response("Not Found", { status: 404 })
        : platform(input, init);
    };
    for (const isStream of [true, false]) {
      const { id } = (await shell.parley("send", "wait", "--async", "-o", "json")).json.task;
      questions = 0;
      const line = ["task", "subscribe", id, "--poll-interval", "10ms", "-o", "json"];
      const following = shell.parley(...line, ...(isStream ? ["--stream"] : []));
      while (questions < 3) await setTimeout(5);
      assert.equal((await shell.parley("task", "cancel", id)).exit, 0);
      const outcome = await following;
      const tasks = isStream ? outcome.lines.map(({ task }) => task) : [outcome.json];
      assert.deepEqual(
        tasks.map(({ status }) => status.state),
        [...(isStream ? ["TASK_STATE_WORKING"] : []), "TASK_STATE_CANCELED"],
      );
      assert.match(outcome.err, /the task ended as TASK_STATE_CANCELED/);
      assert.equal(outcome.exit, 0);
    }
  },
);

test("A2ACLI_DOWNLOAD_001: artifacts become files inside the folder, never over others, and nothing is fetched", async (t) => {
  const { url } = await serveFor(t, agent());
  const shell = new Terminal(t, url);
  const { id } = (await shell.parley("send", "make one two", "-o", "json")).json.task;
  const { json, err } = await shell.parley("task", "download", id, "--folder", "files", "-o", "json");
  assert.deepEqual(readdirSync(join(shell.folder, "files")).sort(), [
    "answer.txt",
    "report.pdf",
    "table-1.json",
  ]);
  assert.equal(json.files.length, 3);
  assert.equal(readFileSync(join(shell.folder, "files", "answer.txt"), "utf8"), "one\ntwo\n");
  assert.match(err, /not downloaded.*https:\/\/files\.example\/big\.zip/);
  writeFileSync(join(shell.folder, "files", "answer.txt"), "mine");
  const again = await shell.parley("task", "download", id, "--folder", "files");
  assert.deepEqual(
    [again.exit, readFileSync(join(shell.folder, "files", "answer.txt"), "utf8")],
    [1, "mine"],
  );
  assert.equal((await shell.parley("task", "download", id, "--folder", "files", "--force")).exit, 0);
});

test("files of one download with the same name get numbers, so that none overwrites another", async (t) => {
  const execute: AgentDefinition["execute"] = async function* () {
    yield artifact({ name: "report" }).text("one", { last: true });
    yield artifact({ name: "Report.txt" }).text("two", { last: true });
    yield artifact({ name: "photos" }).parts([
      filePart(Buffer.from("3"), { filename: "a.png" }),
      filePart(Buffer.from("4"), { filename: "a.png" }),
    ]);
    yield completed();
  };
  const { url } = await serveFor(t, agent({ execute }));
  const shell = new Terminal(t, url);
  const { id } = (await shell.parley("send", "hi", "-o", "json")).json.task;
  for (const force of [[], ["--force"]]) {
    const { exit } = await shell.parley("task", "download", id, "--folder", "files", ...force);
    assert.equal(exit, 0);
    const files = readdirSync(join(shell.folder, "files")).map((name) => [
      name,
      readFileSync(join(shell.folder, "files", name), "utf8"),
    ]);
    assert.deepEqual(Object.fromEntries(files), {
      "report.txt": "one",
      "Report-2.txt": "two",
      "a.png": "3",
      "a-2.png": "4",
    });
  }
});

test("A2ACLI_PUSH_001, A2ACLI_PUSH_002: a webhook is set up, receives what happens, refuses strangers, and is taken away", async (t) => {
  const push = { allowHttp: true, allowPrivateNetworks: true };
  const { url } = await serveFor(t, agent(), { push });
  const shell = new Terminal(t, url);
  const hook = new Terminal(t);
  const { id } = (await shell.parley("send", "ask", "-o", "json")).json.task;
  const port = String(await freePort());
  const received = hook.parley(
    ...["webhook", "--port", port, "--token", "a-long-secret", "-o", "json", "--count", "1"],
  );
  const target = `http://127.0.0.1:${port}/hook`;
  const create = ["task", "push-config", "create", id, target, "--token", "a-long-secret", "--id", "mine"];
  assert.equal(
    (await shell.parley(...create)).out,
    `Config: mine\nTask: ${id}\nURL: ${target}\nToken: set\n`,
  );
  assert.equal((await shell.parley("push", "get", id, "mine", "-o", "json")).json.url, target);
  assert.equal((await shell.parley("push", "list", id, "-o", "json")).json.configs.length, 1);
  const stranger = await fetch(target, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  assert.ok(stranger.status >= 400);
  await shell.parley("send", "--task-id", id, "ask now");
  const { lines, exit } = await received;
  assert.deepEqual([exit, lines.length, lines[0].statusUpdate.taskId], [0, 1, id]);
  await shell.parley("task", "push-config", "delete", id, "mine");
  assert.equal((await shell.parley("task", "push-config", "get", id, "mine")).exit, 1);
});
