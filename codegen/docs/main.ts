import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { restored, restoreFiles } from "../import/file-changes.js";
import { writeOptionTables } from "./option-tables.js";
import { writeReference } from "./write-reference.js";

/** Entry of `npm run docs [-- --check]`. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const options = { check: process.argv.includes("--check") };
if ((await restoreFiles(root)) > 0) process.stderr.write(restored);
for (const { lines, exitCode } of [
  await writeReference(root, options),
  await writeOptionTables(root, options),
]) {
  (exitCode === 0 ? process.stdout : process.stderr).write(`${lines.join("\n")}\n`);
  process.exitCode ||= exitCode;
}
