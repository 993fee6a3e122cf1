import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { chart } from "./chart.js";
import { changeLine, compare } from "./compare.js";
import { compile } from "./compile.js";
import { type TargetName, targetNames } from "./driver/server.js";
import { INSTALL, installSizes } from "./install-size.js";
import { machine } from "./machine.js";
import { prepareNextApp } from "./next-app.js";
import { profileTable } from "./profile.js";
import { publish } from "./publish.js";
import { grpcTable, hostsTable, table } from "./report.js";
import { type Row, rowsOf, worstOf } from "./results.js";
import { runWorkload, type SharedServers } from "./run-workload.js";
import { suite } from "./suite.js";
import type { Effort, Workload } from "./workload.js";

/**
 * Compares servers side by side: `npm run bench`, `npm run bench -- --full`, `npm run bench -- --only echo,streams`. The table
 * goes to standard output; `--json file` writes the same figures for programs, `--chart file` draws them, `--publish page` puts
 * them into a page. `--targets node-http,parley` leaves out the others, `--rounds 8` goes round more often, `--runs 3` measures
 * everything three times and shows the run in which Parley was worst, row by row. With `--profile folder`
 * the targets write CPU profiles, and what is shown and published is where Parley spends its time.
 *
 * `--before ../other/dist --rounds 10 --starts 3` compares Parley with the build of another checkout instead, pair by pair: 10 pairs for
 * each of 3 starts of the processes.
 */
const quick = { scale: 1, rounds: 3 };
const full = { scale: 3, rounds: 15 };
const SECOND = 1000;

const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    targets: { type: "string" },
    rounds: { type: "string" },
    starts: { type: "string", default: "1" },
    profile: { type: "string" },
    verbose: { type: "boolean", default: false },
    json: { type: "string" },
    chart: { type: "string" },
    publish: { type: "string" },
    before: { type: "string" },
    runs: { type: "string", default: "1" },
  },
});

const effort: Effort = {
  ...(values.full ? full : quick),
  ...(values.rounds !== undefined && { rounds: Number(values.rounds) }),
  ...(values.profile !== undefined && { profile: resolve(values.profile) }),
  ...(values.targets !== undefined && { targets: values.targets.split(",") as TargetName[] }),
};
const runs = Number(values.runs);
const ofRuns = runs > 1 ? `of ${runs} runs in a row, for each row the one in which Parley was worst; ` : "";
const measuredOn = `${machine()}; ${ofRuns}medians of ${effort.rounds} rounds, followed by the lowest and the highest`;
const wanted = values.only.flatMap((names) => names.split(","));
const picked = suite.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const isNext = ({ targets }: Workload) => targets?.includes("next") === true;
const needsNext =
  values.before === undefined && picked.some(isNext) && (effort.targets?.includes("next") ?? true);
const chosen = needsNext && !(await prepareNextApp()) ? picked.filter((one) => !isNext(one)) : picked;

const installs = wanted.length === 0 || wanted.some((word) => INSTALL.includes(word));

if (chosen.length === 0 && !installs) {
  process.stderr.write(`There are: ${[...suite.map(({ name }) => name), INSTALL].join("; ")}\n`);
  process.exitCode = 1;
} else if (values.before !== undefined) {
  const sides = { before: await compile(resolve(values.before)), now: await compile() };
  for (const workload of chosen.filter(({ targets }) => targets?.includes("parley") ?? true)) {
    for (const change of await compare(workload, sides, effort, Number(values.starts))) {
      process.stdout.write(`${changeLine(change)}\n`);
    }
  }
} else {
  const folder = await compile();
  if (effort.profile !== undefined) mkdirSync(effort.profile, { recursive: true });
  const found = [await measure(folder, effort, installs)];
  // Further runs measure what is compared with a goal. The SDK is shown for information only.
  const judged = chosen.flatMap(({ pair }): TargetName[] =>
    pair ? [pair.of, pair.by] : ["node-http", "parley"],
  );
  const again = { ...effort, targets: effort.targets?.filter((name) => judged.includes(name)) ?? judged };
  while (found.length < runs) found.push(await measure(folder, again, false));
  const rows = worstOf(found);
  const tables = {
    results: [table, rows.filter(({ pair }) => pair === undefined)],
    hosts: [hostsTable, rows.filter(({ pair }) => pair !== undefined && pair.beside === undefined)],
    grpc: [grpcTable, rows.filter(({ pair }) => pair?.beside !== undefined)],
  } as const;
  for (const [place, [write, shown]] of Object.entries(tables)) {
    if (shown.length === 0) continue;
    process.stdout.write(`${write(shown)}\n\n`);
    if (values.publish !== undefined && values.profile === undefined)
      publish(values.publish, place, `${measuredOn}.\n\n${write(shown)}`);
  }
  if (values.profile !== undefined) {
    const names = chosen.map(({ name }) => name);
    const profile = profileTable(values.profile, names, "parley");
    process.stdout.write(`\n${profile}\n`);
    if (values.publish !== undefined) publish(values.publish, "profile", profile);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, undefined, 2)}\n`);
  if (values.chart !== undefined) writeFileSync(values.chart, chart(rows, measuredOn));
}

/** Measures the chosen workloads once, one after the other. */
async function measure(folder: string, effort: Effort, installs: boolean): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const shared: SharedServers = new Map();
  let sizes: Promise<readonly Row[]> | undefined;
  for (const workload of chosen) {
    // The installation runs beside workloads that tolerate it, and ends before the others begin.
    if (!workload.together) await sizes;
    else if (installs) sizes ??= installSizes(effort.targets ?? targetNames);
    const begun = performance.now();
    const found = await runWorkload(workload, { folder, shared }, effort);
    process.stderr.write(`${workload.name}: ${((performance.now() - begun) / SECOND).toFixed(0)} s\n`);
    if (values.verbose) process.stderr.write(`${JSON.stringify(found)}\n`);
    rows.push(...rowsOf(workload, found));
  }
  for (const server of shared.values()) await (await server).stop();
  if (installs) rows.push(...(await (sizes ?? installSizes(effort.targets ?? targetNames))));
  return rows;
}
