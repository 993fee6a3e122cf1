// Every gate of the project, one after the other; what a gate printed is shown when it fails. Names on the
// command line choose gates: `npm run check -- types lint`.
import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { root } from "./run-record.mjs";

const bin = "node_modules/.bin";

/** `after` names a gate without which this one says nothing; `show` prints the output also of success. */
const gates = [
  { name: "types", command: [`${bin}/tsc`, "-p", "tsconfig.json"] },
  {
    name: "lint",
    command: [`${bin}/biome`, "check", "--error-on-warnings", "--max-diagnostics=100", "--colors=off"],
  },
  { name: "codegen", command: ["node", "--import", "tsx", "codegen/main.ts", "--check"] },
  { name: "docs", command: ["node", "--import", "tsx", "codegen/docs/main.ts", "--check"] },
  { name: "unused", command: [`${bin}/knip`, "--no-progress"] },
  {
    name: "client-size",
    show: true,
    command: ["node", "--import", "tsx", "test/client/bundle/main.ts"],
  },
  { name: "tests", command: ["node", ".ci/test.mjs", "--reuse"] },
  { name: "coverage", after: "tests", show: true, command: ["node", ".ci/coverage.mjs"] },
  { name: "citations", after: "tests", command: ["node", "--import", "tsx", "test/requirements/main.ts"] },
  { name: "drill", command: ["node", "--import", "tsx", "--test", "test/codegen/drill/main.ts"] },
  { name: "build", command: ["node", ".ci/build.mjs"] },
  { name: "publint", after: "build", command: [`${bin}/publint`, "--strict"] },
  {
    name: "package-types",
    after: "build",
    command: [`${bin}/attw`, "--pack", ".", "--profile", "esm-only", "--no-emoji"],
  },
  { name: "package", after: "build", command: ["node", ".ci/test.mjs", "test/package"] },
];

/** Runs one gate; true when it passed. */
function passes({ name, show, command: [program, ...args] }) {
  const start = performance.now();
  const result = spawnSync(program === "node" ? process.execPath : program, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: program !== "node" && process.platform === "win32",
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const passed = result.status === 0;
  process.stdout.write(`${passed ? "ok      " : "FAILED  "}${name} (${seconds} s)\n`);
  const output = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error ?? ""}`.trimEnd();
  if (output !== "" && (!passed || show === true))
    process.stdout.write(`${output.replace(/^/gm, "        ")}\n`);
  return passed;
}

/** Runs gates in order and names those that did not pass. */
function runGates(chosen) {
  const failed = [];
  for (const gate of chosen) {
    if (failed.includes(gate.after)) {
      process.stdout.write(`skipped ${gate.name} (needs ${gate.after})\n`);
    } else if (!passes(gate)) {
      failed.push(gate.name);
    }
  }
  return failed;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !gates.some((gate) => gate.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown gate: ${unknown.join(", ")}. There are: ${gates.map((g) => g.name).join(", ")}\n`,
  );
  process.exitCode = 1;
} else {
  const failed = runGates(gates.filter((gate) => names.length === 0 || names.includes(gate.name)));
  process.stdout.write(failed.length === 0 ? "All gates passed.\n" : `Failed: ${failed.join(", ")}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
