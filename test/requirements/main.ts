import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { citingFiles, unknownCitations } from "./citations.js";
import { ranTests } from "./ran-tests.js";
import { groupOf, listed, register } from "./register.js";
import { print, report, uncovered } from "./report.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs all tests, which print to stderr. */
function run(file: string): void {
  const program = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
  spawnSync(
    process.execPath,
    [
      ...[program, "run", "--project=shared", "--project=counting", "--project=whole"],
      ...["--reporter=dot", "--reporter=json", `--outputFile.json=${file}`],
    ],
    { cwd: root, stdio: ["ignore", 2, 2] },
  );
}

const usage = `Counts the requirements of the protocol that passing tests cite. Runs the tests first, unless --ran is given. Exits with 1 if a
cited id has no row in docs/requirements.md, or if a row is neither covered by a passing test nor listed in listed.json.

Usage: npm run requirements -- [options]

  --json             Print each requirement with the tests that cite it, as JSON
  --missing          Also name the requirements that are neither covered nor listed
  --group <names>    Count only these groups, such as OP-SEND,RPC
  --ran <file>       Read this JSON report of a run of all tests
  --help             Print this help
`;

/** Reads the command line. A wrong one ends the process with exit code 2, as `--help` does with 0. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: "boolean", default: false },
        missing: { type: "boolean", default: false },
        group: { type: "string" },
        ran: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    if (!values.help) return values;
    process.stdout.write(usage);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    return process.exit(2);
  }
}

const values = readOptions();
const file = values.ran ?? `${root}/.cache/tests.json`;
if (values.ran === undefined) run(file);
const tests = ranTests(file);
const { rows, problems } = report(register, listed, tests);
const groups = values.group?.split(",");
const chosen = rows.filter((row) => groups === undefined || groups.includes(groupOf(row.id)));
const failed = tests.filter((test) => test.status === "fail");

process.stdout.write(values.json ? `${JSON.stringify(chosen)}\n` : print(chosen, values.missing));
if (tests.length === 0) process.stderr.write("No test ran.\n");
if (failed.length > 0)
  process.stderr.write(`${failed.length} tests failed; what they cite is not covered.\n`);
const faults = [
  ...problems,
  ...uncovered(chosen, tests),
  ...unknownCitations(citingFiles(), new Set(register.map((row) => row.id))).map(
    (place) => `${place} is not in docs/requirements.md`,
  ),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
