import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Entry of `npm run codegen [-- --check]`. */
const options = process.argv.slice(2);
const unknown = options.filter((option) => option !== "--check");
if (unknown.length > 0) {
  process.stderr.write(`unknown option ${unknown.join(" ")}; usage: npm run codegen [-- --check]\n`);
  process.exitCode = 2;
} else {
  // Loaded after the arguments are checked, because the emitters import compilers.
  const { run } = await import("./run.js");
  const { restored, restoreFiles } = await import("./import/file-changes.js");
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  if ((await restoreFiles(root)) > 0) process.stderr.write(restored);
  const { lines, exitCode } = await run(root, { check: options.includes("--check") });
  (exitCode === 0 ? process.stdout : process.stderr).write(`${lines.join("\n")}\n`);
  process.exitCode = exitCode;
}
