import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { writeReference } from "./write-reference.js";

/** Entry of `npm run docs [-- --check]`. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { lines, exitCode } = await writeReference(root, { check: process.argv.includes("--check") });
(exitCode === 0 ? process.stdout : process.stderr).write(`${lines.join("\n")}\n`);
process.exitCode = exitCode;
