import process from "node:process";
import { clientTests } from "./client-tests.js";
import { TestRun } from "./run-tests.js";
import { storeTests } from "./store-tests.js";

/** Runs tests in a runtime and prints the outcome: those of the client against a URL, or of a store at one. */
const [what = "", url = ""] = process.argv.slice(2);
const run = new TestRun();
if (what === "client") clientTests(url, run);
else storeTests[what]?.(run, url);
process.stdout.write(`${JSON.stringify(await run.run())}\n`);
process.exit();
