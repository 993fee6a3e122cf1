import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LimitRow, limitRows } from "../../src/server/limits.js";
import { optionRows } from "../../src/server/resolve-options.js";
import type { RunResult } from "../run.js";
import { table } from "./markdown.js";

const KIB = 1024;
const file = "docs/operations.md";

/** The tables of `docs/operations.md`, by the name in the comments around them. */
const tables: Readonly<Record<string, () => string>> = { limits: limitTable, options: optionTable };

/** Writes the tables of limits and options into `<root>/docs/operations.md`, or only compares them if `check` is set. */
export async function writeOptionTables(
  root: string,
  { check }: { readonly check: boolean },
): Promise<RunResult> {
  const path = join(root, file);
  const page = await readFile(path, "utf8");
  const fresh = withOptionTables(page);
  if (fresh === page) return { lines: [`the tables of ${file} are up to date`], exitCode: 0 };
  if (check)
    return { lines: [`stale: the tables of ${file}`, "run npm run docs and commit the result"], exitCode: 1 };
  await writeFile(path, fresh);
  return { lines: [`wrote the tables of ${file}`], exitCode: 0 };
}

/**
 * Replaces the tables of a page. A table is between `<!-- name -->` and `<!-- end of name -->`.
 * @throws Error if the page lacks these comments for a table
 */
export function withOptionTables(page: string): string {
  return Object.entries(tables).reduce((text, [name, make]) => {
    const [start, end] = [`<!-- ${name} -->\n`, `\n<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${file} has no place for the table of ${name}`);
    return `${text.slice(0, from)}${start}\n${make()}\n${text.slice(to)}`;
  }, page);
}

function limitTable(): string {
  const rows = Object.entries(limitRows).map(([name, row]) => [
    `\`${name}\``,
    row.unit === "count" ? row.counts : `${row.unit} ${row.counts}`,
    shownDefault(row),
    row.beyond,
  ]);
  return table(["Limit", "", "Default", "Beyond it"], rows);
}

/** Bytes in MiB or KiB if they are a multiple of it; other numbers with commas for thousands. */
function shownDefault({ default: value, unit }: LimitRow): string {
  if (unit !== "bytes" || value % KIB !== 0) return value.toLocaleString("en");
  return value % (KIB * KIB) === 0 ? `${value / KIB / KIB} MiB` : `${value / KIB} KiB`;
}

function optionTable(): string {
  const listening = ["`port`, `host`", "where `serve` listens", "any free port, for this machine only"];
  const rows = Object.entries(optionRows).map(([name, { about, shown }]) => [`\`${name}\``, about, shown]);
  const grpc = [
    "`grpc`",
    "where and how `serve` serves [gRPC](grpc.md)",
    "off, unless `bindings` names gRPC; then a free port, or with `tls` the port of HTTP",
  ];
  const inspector = [
    "`inspector`",
    "`serve` mounts the [inspector](inspector.md) at `/inspector`, for development; a `host` that other machines can reach is refused",
    "off",
  ];
  return table(["Option of `serve` and `createApp`", "", "Default"], [listening, grpc, inspector, ...rows]);
}
