// Every gate of the project, one after the other; what a gate printed is shown when it fails. Names on the
// command line choose gates: `npm run check -- types lint`.
import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { root } from "./run-record.mjs";

const bin = "node_modules/.bin";

/** In order of cost, except that the package is built before it is examined. */
const gates = [
  { name: "types", command: [`${bin}/tsc`, "-p", "tsconfig.json"] },
  { name: "lint", command: [`${bin}/biome`, "check", "--error-on-warnings", "--colors=off"] },
  { name: "codegen", command: ["node", "--import", "tsx", "codegen/main.ts", "--check"] },
  { name: "unused", command: [`${bin}/knip`, "--no-progress"] },
  { name: "tests", command: ["node", ".ci/test.mjs", "--reuse"] },
  { name: "coverage", command: ["node", ".ci/coverage.mjs"] },
  { name: "citations", command: ["node", "--import", "tsx", "test/requirements/main.ts"] },
  { name: "build", command: ["node", ".ci/build.mjs"] },
  { name: "publint", command: [`${bin}/publint`, "--strict"] },
  { name: "package types", command: [`${bin}/attw`, "--pack", ".", "--profile", "esm-only", "--no-emoji"] },
  { name: "package", command: ["node", ".ci/test.mjs", "test/package"] },
];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !gates.some((gate) => gate.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown gate: ${unknown.join(", ")}. There are: ${gates.map((g) => g.name).join(", ")}\n`,
  );
  process.exit(1);
}

const failed = [];
for (const { name, command } of gates.filter((gate) => chosen.length === 0 || chosen.includes(gate.name))) {
  const start = performance.now();
  const [program, ...args] = command;
  const result = spawnSync(program === "node" ? process.execPath : program, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: program !== "node" && process.platform === "win32",
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const passed = result.status === 0;
  process.stdout.write(`${passed ? "ok    " : "FAILED"} ${name} (${seconds} s)\n`);
  if (passed) continue;
  failed.push(name);
  const output = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error ?? ""}`.trimEnd();
  process.stdout.write(`${output.replace(/^/gm, "    ")}\n`);
}

process.stdout.write(failed.length === 0 ? "All gates passed.\n" : `Failed: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
