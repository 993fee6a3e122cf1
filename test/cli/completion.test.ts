import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "vitest";
import { commands } from "../../src/cli/commands.js";
import { Terminal } from "./terminal.js";

test("A2ACLI_CLI_002: bash completes commands, their options, and what options take", async (t) => {
  const { out } = await new Terminal(t).parley("completion", "bash");
  const completed = (typed: string) => {
    const words = ["parley", ...typed.split(" ")];
    const script = `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
      _parley; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    assert.equal(stderr, "");
    return stdout.trim().split("\n");
  };
  assert.deepEqual(completed("ta"), ["task"]);
  assert.deepEqual(completed("task s"), ["subscribe"]);
  assert.deepEqual(completed("task push-config c"), ["create"]);
  assert.deepEqual(completed("send --str"), ["--stream"]);
  assert.deepEqual(completed("send -a host --task-i"), ["--task-id"]);
  assert.deepEqual(completed("send -o "), ["text", "json"]);
  assert.deepEqual(completed("-o json send --asy"), ["--async"]);
});

test("A2ACLI_CLI_002: every command and option is in the scripts of all shells, and no other shell has one", async (t) => {
  const shell = new Terminal(t);
  for (const name of ["bash", "zsh", "fish"]) {
    const { out, exit } = await shell.parley("completion", name);
    assert.equal(exit, 0);
    for (const { path, options } of commands) {
      for (const word of path) assert.ok(out.includes(word), `${name}: ${word}`);
      for (const option of options) assert.ok(out.includes(option.name), `${name}: --${option.name}`);
    }
  }
  assert.equal((await shell.parley("completion", "tcsh")).exit, 2);
});
