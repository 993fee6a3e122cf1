// npm run requirements [-- --json | --missing] [--group OP-SEND,RPC]
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { RanTest } from "./citations.js";
import { groupOf, listed, register } from "./register.js";
import { print, report } from "./report.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The tests of the last full run, which is repeated unless it passed on this very tree; its output goes to stderr. */
function ranTests(): RanTest[] {
  spawnSync(process.execPath, [".ci/test.mjs", "--reuse", "--test-reporter=dot"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  const file = `${root}/.cache/tests.json`;
  if (!existsSync(file)) return [];
  const tests = JSON.parse(readFileSync(file, "utf8")) as RanTest[];
  return tests.map((test) => ({ ...test, file: relative(root, test.file).replaceAll("\\", "/") }));
}

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    missing: { type: "boolean", default: false },
    group: { type: "string" },
  },
});

const tests = ranTests();
const { rows, problems } = report(register, listed, tests);
const groups = values.group?.split(",");
const chosen = rows.filter((row) => groups === undefined || groups.includes(groupOf(row.id)));
const failed = tests.filter((test) => test.status === "fail");

process.stdout.write(values.json ? `${JSON.stringify(chosen)}\n` : print(chosen, values.missing));
if (tests.length === 0) process.stderr.write("No test ran.\n");
if (failed.length > 0)
  process.stderr.write(`${failed.length} tests failed; what they cite is not covered.\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
