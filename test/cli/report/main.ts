// npm run cli-report: runs the tests of the command line and writes docs/cli-report.yaml. With --ran <report of a run> it compares that file.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packageVersion } from "../../../src/runtime/package-version.js";
import { ranTests } from "../../requirements/ran-tests.js";
import { root } from "../../support/root.js";
import { complianceReport, withoutDates } from "./compliance-report.js";

const page = join(root, "docs", "cli-report.yaml");
const { values } = parseArgs({ options: { ran: { type: "string" } } });

const facts = { version: packageVersion(), date: new Date().toISOString().slice(0, 10) };
if (values.ran === undefined) {
  const file = join(root, ".cache", "cli-tests.json");
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const run = [
    "run",
    "--project=shared",
    "test/cli/",
    "--reporter=dot",
    "--reporter=json",
    `--outputFile.json=${file}`,
  ];
  spawnSync(process.execPath, [vitest, ...run], { cwd: root, stdio: ["ignore", 2, 2] });
  writeFileSync(page, complianceReport(ranTests(file), facts));
} else if (
  withoutDates(readFileSync(page, "utf8")) !== withoutDates(complianceReport(ranTests(values.ran), facts))
) {
  process.stderr.write("docs/cli-report.yaml is not what the tests show: npm run cli-report\n");
  process.exitCode = 1;
}
