// Runs the tests: all of them, or those in the files and folders named on the command line. Options that begin
// with a dash go to Node (--test-reporter=dot, --test-name-pattern=...). A run of everything also measures
// coverage and is recorded, so that other steps can use it; with --reuse nothing runs when such a run passed on
// this very tree. With --grouped files share processes as they do in a run of everything, which is faster for whole
// folders.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { isAbsolute, relative } from "node:path";
import { compile, compiledPath } from "./compile.mjs";
import {
  coverageFolder,
  dropRecord,
  filesBelow,
  fingerprint,
  passedOnThisTree,
  root,
  testsFile,
  writeRecord,
} from "./run-record.mjs";
import { grouped } from "./test-groups.mjs";

/** Tests of the built and packed package: `npm run check` builds first and then names this folder. */
const needsBuild = "test/package/";

const options = process.argv.slice(2);
const reuse = options.includes("--reuse");
const isGrouped = options.includes("--grouped");
const flags = options.filter(
  (option) => option.startsWith("-") && !["--reuse", "--grouped"].includes(option),
);
const paths = options
  .filter((option) => !option.startsWith("-"))
  .map((path) => (isAbsolute(path) ? relative(root, path) : path).replace(/^\.\//, "").replace(/\/$/, ""));
const everything = paths.length === 0 && flags.every((flag) => flag.startsWith("--test-reporter"));

const files = (paths.length === 0 ? ["test"] : paths)
  .flatMap(filesBelow)
  .filter((file) => file.endsWith(".test.ts") && (paths.length > 0 || !file.startsWith(needsBuild)));

if (files.length === 0) {
  process.stderr.write(`No test files (*.test.ts) in ${paths.join(", ") || "test/"}\n`);
  process.exitCode = 1;
} else if (reuse && everything && passedOnThisTree()) {
  process.stdout.write("The tests passed on this very tree; they are not run again.\n");
} else {
  await compile();
  process.exitCode = run();
}

function run() {
  const reporters = flags.some((flag) => flag.startsWith("--test-reporter="))
    ? flags.some((flag) => flag.startsWith("--test-reporter-destination="))
      ? []
      : ["--test-reporter-destination=stdout"]
    : ["--test-reporter=spec", "--test-reporter-destination=stdout"];
  const recorder = ["--test-reporter=./.ci/record-tests.mjs", `--test-reporter-destination=${testsFile}`];
  const before = everything ? fingerprint() : "";
  if (everything) {
    dropRecord();
    mkdirSync(coverageFolder, { recursive: true });
  }
  const child = spawnSync(
    process.execPath,
    [
      "--enable-source-maps",
      "--test",
      `--test-concurrency=${Math.max(2, availableParallelism()) + 1}`,
      // It also bounds all tests of one process together.
      "--test-timeout=900000",
      ...flags,
      ...reporters,
      ...(everything ? recorder : []),
      ...(everything || isGrouped ? grouped(files) : files.map(compiledPath)),
    ],
    { cwd: root, stdio: "inherit", env: { ...process.env, ...(everything && { PARLEY_COVER: "yes" }) } },
  );
  if (child.error !== undefined) throw child.error;
  // A tree that changed while the tests ran was not tested: such a run is not recorded.
  if (everything && fingerprint() === before) {
    writeRecord({ fingerprint: before, passed: child.status === 0 });
  }
  return child.status ?? 1;
}
