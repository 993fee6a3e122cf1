import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { test } from "vitest";
import { planner } from "../examples/demo/agent.js";
import { shows, steps } from "./docs/console-blocks.js";
import { serveFor } from "./support/peer.js";
import { program } from "./support/program.js";

test("the ten-line agent of the README answers its client", async (t) => {
  const page = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const [agent = "", client = ""] = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block);
  const source = [
    agent.replace("port: 4000", "port: 0"),
    client.replace('"http://127.0.0.1:4000"', "url"),
    "process.exit();",
  ];
  // Inside the repository, so that the package's own name leads to its sources.
  const name = ".cache/readme-example.ts";
  const file = new URL(`../${name}`, import.meta.url).pathname;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, source.join("\n"));
  t.onTestFinished(() => rm(file));
  const { stdout } = await promisify(execFile)(process.execPath, program(name));
  assert.equal(stdout, "HELLO\n");
});

test("the curl transcripts of the README are true", async (t) => {
  const { url } = await serveFor(t, planner);
  const all = steps("README.md");
  assert.equal(all.length, 7);
  let task = "";
  for (const { command, output } of all) {
    const here = command.replace("http://127.0.0.1:41241", url);
    const { stdout } = await promisify(execFile)("bash", ["-c", here], {
      env: { ...process.env, TASK: task },
    });
    task ||= /"task":\{"id":"([^"]+)"/.exec(stdout)?.[1] ?? "";
    const expected = output.trimEnd().split("\n");
    const actual = stdout.trimEnd().split("\n");
    assert.equal(actual.length, expected.length, `${here}\n${stdout}`);
    for (const [index, line] of expected.entries()) {
      assert.ok(shows(line, actual[index] ?? ""), `${here}\nexpected ${line}\nprinted  ${actual[index]}`);
    }
  }
});
