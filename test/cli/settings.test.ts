import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { Terminal } from "./terminal.js";

test("A2ACLI_CONFIG_002: a flag comes before the environment, that before the local file, that before the global one", async (t) => {
  const shell = new Terminal(t);
  const shown = async (...line: string[]) => {
    const { json } = await shell.parley("config", "show", "-o", "json", ...line);
    const { value, source } = json.settings.find(({ name }: { name: string }) => name === "agent-card");
    return [value, source];
  };
  assert.deepEqual(await shown(), [null, "unset"]);
  const global = join(shell.home, ".config", "a2a-cli");
  mkdirSync(global, { recursive: true });
  writeFileSync(join(global, ".env"), "A2ACLI_AGENT_CARD=global.example\n");
  assert.deepEqual(await shown(), ["global.example", join(global, ".env")]);
  const local = join(shell.folder, ".env");
  writeFileSync(local, '# mine\nOTHER=1\nexport A2ACLI_AGENT_CARD="local.example"\n');
  assert.deepEqual(await shown(), ["local.example", local]);
  writeFileSync(join(shell.folder, "other.env"), "A2ACLI_AGENT_CARD='other.example' # a colleague's\n");
  const other = ["other.example", join(shell.folder, "other.env")];
  assert.deepEqual(await shown("--config", "other.env"), other);
  shell.env.A2ACLI_AGENT_CARD = "variable.example";
  assert.deepEqual(await shown(), ["variable.example", "A2ACLI_AGENT_CARD"]);
  assert.deepEqual(await shown("-a", "flag.example"), ["flag.example", "flag"]);
});

test("A2ACLI_CONFIG_001: a settings file with credentials that others can read is warned of", async (t) => {
  const shell = new Terminal(t);
  const path = join(shell.folder, ".env");
  writeFileSync(path, "A2ACLI_BEARER=s3cret-value\n", { mode: 0o644 });
  const open = await shell.parley("config", "show");
  assert.match(open.err, /^warning: others can read the credentials in .*\.env: chmod 600 it\n$/);
  assert.match(open.out, /^bearer: \[redacted\] \(.*\.env\)$/m);
  chmodSync(path, 0o600);
  assert.equal((await shell.parley("config", "show")).err, "");
  writeFileSync(path, "A2ACLI_OTHER_BEARER=s3cret-value\n");
  chmodSync(path, 0o644);
  assert.match((await shell.parley("config", "show")).err, /^warning: others can read the credentials/);
});

test("A2ACLI_OUT_003: --stream is never taken from the environment, and odd switches are refused", async (t) => {
  const shell = new Terminal(t);
  shell.env.A2ACLI_STREAM = "true";
  shell.env.A2ACLI_OUTPUT = "json";
  const { out } = await shell.parley("config", "show");
  assert.match(out, /^\{\n {2}"settings"/, "one document over several lines");
  shell.env.A2ACLI_VERBOSE = "perhaps";
  assert.equal((await shell.parley("config", "show")).exit, 2);
});

test("config show lists the settings of every command, what applies without a value, files and logins", async (t) => {
  const shell = new Terminal(t);
  shell.env.A2ACLI_PORT = "5000";
  shell.env.A2ACLI_API_KEY = "k3y-value";
  shell.env.A2ACLI_VERBOSE = "1";
  writeFileSync(join(shell.folder, ".env"), "A2ACLI_PAGE_SIZE=7\n");
  const { json, out, err } = await shell.parley("config", "show", "-o", "json");
  assert.equal(err, "");
  assert.ok(!out.includes("k3y-value"));
  const of = (name: string, command: string | null = null) => {
    const row = json.settings.find((one: any) => one.name === name && one.command === command);
    return [row.value, row.source];
  };
  assert.deepEqual(of("verbose"), ["1", "A2ACLI_VERBOSE"]);
  assert.deepEqual(of("insecure"), ["false", "default"]);
  assert.deepEqual(of("timeout"), ["never", "default"]);
  assert.deepEqual(of("bearer"), [null, "unset"]);
  assert.deepEqual(of("api-key"), ["[redacted]", "A2ACLI_API_KEY"]);
  assert.deepEqual(of("port", "serve"), ["5000", "A2ACLI_PORT"]);
  assert.deepEqual(of("port", "webhook"), ["5000", "A2ACLI_PORT"]);
  assert.deepEqual(of("page-size", "task list"), ["7", join(shell.folder, ".env")]);
  assert.deepEqual([json.files, json.logins], [[join(shell.folder, ".env")], []]);
  const text = await shell.parley("config", "show");
  assert.match(text.out, /^host of webhook: 127\.0\.0\.1 \(default\)$/m);
});

test("config show names what a command would refuse, and variables that no command reads", async (t) => {
  const shell = new Terminal(t);
  shell.env.A2ACLI_POLL_INTERVAL = "abc";
  shell.env.A2ACLI_TIMOUT = "5m";
  const { exit, out, err } = await shell.parley("config", "show");
  assert.equal(exit, 0);
  assert.match(out, /^poll-interval: abc \(A2ACLI_POLL_INTERVAL\)$/m);
  assert.match(err, /^warning: A2ACLI_POLL_INTERVAL takes a duration .*, not "abc"$/m);
  assert.match(
    err,
    /^warning: no command reads A2ACLI_TIMOUT, from the environment; did you mean A2ACLI_TIMEOUT\?$/m,
  );
  assert.equal((await shell.parley("config", "show", "--output", "xml")).exit, 2);
});
