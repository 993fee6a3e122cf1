// Every gate of the project, a few at a time; what a gate printed is shown when it fails. Names on the
// command line choose gates: `npm run check -- types lint`.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { text } from "node:stream/consumers";
import { root } from "./run-record.mjs";

const bin = "node_modules/.bin";

/** How many gates run at a time. */
const atOnce = Math.max(2, availableParallelism());

/** `after` names a gate without which this one says nothing; `show` prints the output also of success. What takes long or
 * is waited for comes first. */
const gates = [
  { name: "tests", command: ["node", ".ci/test.mjs", "--reuse"] },
  { name: "build", command: ["node", ".ci/build.mjs"] },
  { name: "types", command: [`${bin}/tsc`, "-p", "tsconfig.json"] },
  {
    name: "simulation",
    command: ["node", "--import", "tsx", "test/simulation/main.ts", "--seeds", "2000"],
  },
  { name: "package", after: "build", command: ["node", ".ci/test.mjs", "test/package"] },
  { name: "drill", command: ["node", "--import", "tsx", "--test", "test/codegen/drill/main.ts"] },
  {
    name: "package-types",
    after: "build",
    command: [`${bin}/attw`, "--pack", ".", "--profile", "esm-only", "--no-emoji"],
  },
  { name: "codegen", command: ["node", "--import", "tsx", "codegen/main.ts", "--check"] },
  { name: "unused", command: [`${bin}/knip`, "--no-progress"] },
  { name: "coverage", after: "tests", show: true, command: ["node", ".ci/coverage.mjs"] },
  { name: "citations", after: "tests", command: ["node", "--import", "tsx", "test/requirements/main.ts"] },
  {
    name: "client-size",
    show: true,
    command: ["node", "--import", "tsx", "test/client/bundle/main.ts"],
  },
  { name: "publint", after: "build", command: [`${bin}/publint`, "--strict"] },
  { name: "docs", command: ["node", "--import", "tsx", "codegen/docs/main.ts", "--check"] },
  {
    name: "lint",
    command: [`${bin}/biome`, "check", "--error-on-warnings", "--max-diagnostics=100", "--colors=off"],
  },
];

/** Runs one gate; whether it passed, how long it took and what it printed. */
async function outcome({ command: [program, ...args] }) {
  const start = performance.now();
  const child = spawn(program === "node" ? process.execPath : program, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    shell: program !== "node" && process.platform === "win32",
  });
  const ended = new Promise((resolve) => {
    child.once("error", (error) => resolve(`${error}`));
    child.once("close", (status) => resolve(status));
  });
  const [status, ...output] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const error = typeof status === "string" ? status : "";
  return { passed: status === 0, seconds, output: `${output.join("")}${error}`.trimEnd() };
}

/** Runs one gate and says how it ended; true when it passed. */
async function passes(gate) {
  const { passed, seconds, output } = await outcome(gate);
  process.stdout.write(`${passed ? "ok      " : "FAILED  "}${gate.name} (${seconds} s)\n`);
  if (output !== "" && (!passed || gate.show === true))
    process.stdout.write(`${output.replace(/^/gm, "        ")}\n`);
  return passed;
}

/**
 * Runs gates, as many at a time as there are processors, each once the one that it needs has passed. Most of
 * them keep one processor busy.
 * @returns the names of those that did not pass
 */
async function runGates(chosen) {
  const failed = [];
  const ended = new Set();
  const waiting = [...chosen];
  const running = new Map();
  const ready = ({ after }) => ended.has(after) || !chosen.some(({ name }) => name === after);
  const run = async (gate) => {
    if (failed.includes(gate.after)) {
      process.stdout.write(`skipped ${gate.name} (needs ${gate.after})\n`);
    } else if (!(await passes(gate))) {
      failed.push(gate.name);
    }
    ended.add(gate.name);
  };
  while (waiting.length + running.size > 0) {
    const next = running.size < atOnce ? waiting.findIndex(ready) : -1;
    if (next < 0) {
      await Promise.race(running.values());
      continue;
    }
    const [gate] = waiting.splice(next, 1);
    const settled = run(gate).finally(() => running.delete(gate));
    running.set(gate, settled);
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
  const failed = await runGates(gates.filter((gate) => names.length === 0 || names.includes(gate.name)));
  process.stdout.write(failed.length === 0 ? "All gates passed.\n" : `Failed: ${failed.join(", ")}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
