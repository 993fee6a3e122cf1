// Loaded first by the processes of a full run: notes what ran of the sources, and leaves it in the folder for coverage.
// Node's own NODE_V8_COVERAGE counts how often each block of every package ran, which costs a fifth of the tests' time; here
// only whether it ran is asked, and only of what the floors are about.
import { mkdirSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { compiledFolder } from "./compile.mjs";
import { coverageFolder } from "./run-record.mjs";

const measured = ["src", "codegen"].map((folder) => pathToFileURL(join(compiledFolder, folder, "/")).href);

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: true });

process.once("exit", () => {
  session.post("Profiler.takePreciseCoverage", (_error, found) => {
    const scripts =
      found?.result.filter(({ url }) => measured.some((folder) => url.startsWith(folder))) ?? [];
    if (scripts.length === 0) return;
    mkdirSync(coverageFolder, { recursive: true });
    writeFileSync(join(coverageFolder, `${process.pid}-${Date.now()}.json`), JSON.stringify(scripts));
  });
});
