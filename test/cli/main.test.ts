import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "vitest";
import { serveFor } from "../support/peer.js";
import { program } from "../support/program.js";
import { agent } from "./agent.js";

test("A2ACLI_OUT_001: as a process: payload on stdout as it comes, diagnostics on stderr, Ctrl+C, the exit code", async (t) => {
  const { url } = await serveFor(t, agent());
  const line = ["send", "-a", url, "--text", "wait", "--data", "-", "--stream", "-o", "json"];
  const child = spawn(process.execPath, [...program("src/cli/main.ts"), ...line]);
  t.onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end('{"n":1}');
  child.stdout.once("data", () => child.kill("SIGINT"));
  const [out, err, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  assert.equal(exit, 130, err);
  const [first, ...rest] = out.trimEnd().split("\n");
  const { task } = JSON.parse(first ?? "");
  assert.deepEqual(task.history[0].parts, [{ text: "wait" }, { data: { n: 1 } }]);
  assert.equal(JSON.parse(rest.join("")).error.code, "PARLEY_ERR_INTERRUPTED");
  assert.equal(
    err,
    `error: Interrupted (PARLEY_ERR_INTERRUPTED)\nhint: the task goes on: parley task get -a ${url} ${task.id} --wait\n`,
  );
});
