import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
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
    `error: Interrupted (PARLEY_ERR_INTERRUPTED)\nhint: the task continues: parley task get -a ${url} ${task.id} --wait\n`,
  );
});

const isPty = spawnSync("script", ["--version"]).status === 0;

test.skipIf(!isPty)(
  "A2ACLI_CHAT_001: as a process on a pseudo-terminal: a chat with echo, colours and Ctrl+C",
  async (t) => {
    const { url } = await serveFor(t, agent());
    const line = [process.execPath, ...program("src/cli/main.ts"), "chat", "-a", url].join(" ");
    const child = spawn("script", ["-qec", line, "/dev/null"], {
      env: { ...process.env, TERM: "xterm", NO_COLOR: "" },
    });
    t.onTestFinished(() => void child.kill("SIGKILL"));
    let screen = "";
    const shown = async (what: string) => {
      for (; !screen.includes(what); await once(child.stdout, "data"));
      screen = screen.slice(screen.indexOf(what) + what.length);
    };
    child.stdout.setEncoding("utf8").on("data", (text) => {
      screen += text;
    });
    await shown("> ");
    child.stdin.write("say hello\r");
    await shown("say hello");
    await shown("hello\r\n");
    await shown("> ");
    child.stdin.write("fail\r");
    await shown("\u001b[31mfailed: it broke\u001b[0m");
    child.stdin.write("wait\r");
    await shown("working: begun");
    child.stdin.write("\u0003");
    await shown("canceled");
    await shown("> ");
    child.stdin.write("\u0003");
    const [exit] = await once(child, "exit");
    assert.equal(exit, 0);
  },
);
