// Compares servers side by side; what can be asked for stands in bench/main.ts.
import { spawnSync } from "node:child_process";
import { root } from "./run-record.mjs";

const args = ["--import", "tsx", "bench/main.ts", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
