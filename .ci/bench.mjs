// Runs the benchmarks, each in a process of its own and one after the other: all files directly in bench/, or those
// whose names are given (`npm run bench -- task-memory`).
import { spawnSync } from "node:child_process";
import { filesBelow, root } from "./run-record.mjs";

const names = process.argv.slice(2);
const benchmarks = filesBelow("bench").filter((file) => /^bench\/[^/]+\.ts$/.test(file));
const chosen = benchmarks.filter((file) => names.length === 0 || names.includes(file.slice(6, -3)));

if (chosen.length === 0) {
  process.stderr.write(
    `No such benchmark. There are: ${benchmarks.map((file) => file.slice(6, -3)).join(", ")}\n`,
  );
  process.exitCode = 1;
}
for (const file of chosen) {
  process.stdout.write(`\n${file}\n`);
  const { status } = spawnSync(process.execPath, ["--import", "tsx", "--expose-gc", file], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
