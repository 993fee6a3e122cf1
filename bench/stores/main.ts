import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { testServer, withoutPostgres } from "../../test/support/postgres.js";
import { emptySqld, withoutSqld } from "../../test/support/sqld.js";
import { compile } from "../compile.js";
import { machine } from "../machine.js";
import { publish } from "../publish.js";
import { incumbents } from "./incumbent.js";
import { appends, type Findings, lists, longArtifact } from "./measure.js";
import { libsql, memory, postgres, sqlite } from "./parley.js";
import { streamsOfModel } from "./streams.js";
import type { Subject } from "./subject.js";

/**
 * Compares stores side by side: `npm run bench:stores`, with `--full` lists from a million tasks too, `--streams` measures streams
 * through a server instead, `--json file` writes the figures for programs, `--publish page` puts them into a page between the comments for `stores` or, with `--streams`, for `streams`. The servers of PostgreSQL and libSQL are their own, on this machine's disk, and wait for it; the latter only if `npm run test:libsql` has installed it.
 */
const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    json: { type: "string" },
    publish: { type: "string" },
    only: { type: "string" },
    streams: { type: "boolean", default: false },
  },
});
const totals = [1000, 100_000, ...(values.full ? [1_000_000] : [])];

if (withoutPostgres !== false) process.stderr.write(`Without PostgreSQL: ${withoutPostgres}\n`);
const server = withoutPostgres === false ? await testServer({ durable: true }) : undefined;
let databases = 0;
const database =
  server &&
  (() => {
    databases += 1;
    return server.database(`bench_${databases}`);
  });
const subjects: Subject[] = [
  ...[
    memory,
    sqlite("full"),
    sqlite("normal"),
    ...(database ? [postgres(database)] : []),
    ...(withoutSqld ? [] : [libsql(emptySqld)]),
    ...incumbents(database),
  ],
].filter(({ name }) => values.only === undefined || name.includes(values.only));

const targets = await compile();

/** Streams of a server with a store, at the rate of a language model. */
async function streams(subject: Subject): Promise<Findings> {
  const served = await subject.serve?.();
  if (served === undefined) return {};
  try {
    return await streamsOfModel(targets, served.options);
  } finally {
    served.remove();
  }
}

const found: Record<string, Findings> = {};
for (const subject of subjects) {
  process.stderr.write(`${subject.name} ...\n`);
  found[subject.name] = {
    ...(!values.streams && {
      ...(await appends(subject)),
      ...(await longArtifact(subject)),
      ...(await lists(subject, totals)),
    }),
    ...(values.streams && (await streams(subject))),
  };
}

const rows = [...new Set(Object.values(found).flatMap((findings) => Object.keys(findings)))];
const names = Object.keys(found).filter((name) => Object.keys(found[name] ?? {}).length > 0);
const lines = [
  ["", ...names],
  ["---", ...names.map(() => "---:")],
  ...rows.map((row) => [row, ...names.map((name) => show(found[name]?.[row]))]),
];
const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
process.stdout.write(`${table}\n`);
const place = values.streams ? "streams" : "stores";
if (values.publish !== undefined) publish(values.publish, place, `\n${machine()}.\n\n${table}\n`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(found, undefined, 2)}\n`);

function show(value: number | undefined): string {
  if (value === undefined) return "";
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}
