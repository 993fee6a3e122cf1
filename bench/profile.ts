import { existsSync, readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TargetName } from "./driver/server.js";
import { grid } from "./report.js";

/** The format of `--cpu-prof`: a call tree, and for each sample its node and the microseconds since the last one. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const WAITING = "waiting";

/** Parts of a server and the URLs, or names where there is none, by which their functions are known; the first that fits. */
const parts: readonly (readonly [string, RegExp])[] = [
  [WAITING, /^\(idle\)$/],
  ["garbage collection", /^\(garbage collector\)$/],
  ["loading", /^node:internal\/(modules|bootstrap|deps|process\/(?!task_queues))|^compileFunction$/],
  ["writing to sockets", /^write(v|Buffer|Utf8String|Latin1String)$/],
  ["Node", /^node:|^(?!file:)/],
  ["Koa and router", /node_modules\/(koa|@koa|koa-compose)\//],
  ["other packages", /node_modules\//],
  ["checks by the schema", /\/generated\//],
  ["JSON", /\/src\/json\//],
  ["versions' codecs", /\/src\/versions\//],
  ["bindings", /\/src\/server\/bindings\//],
  ["HTTP server", /\/src\/server\//],
  ["engine", /\/src\/engine\//],
  ["agent code", /\/src\/agent\/|\/bench\/targets\//],
  ["fold and log", /\/src\/task-log\//],
  ["store", /\/src\/stores\//],
  ["the rest", /./],
];

/** Name of the file in which a target leaves the profile of a workload. */
export function profileName(workload: string, target: TargetName): string {
  return `${workload.replace(/[^\w+]+/g, "-")}.${target}.cpuprofile`;
}

/** The source maps of the files of a built package; undefined for a file without one. */
const mapOf = new Map<string, SourceMap | undefined>();

/** The source file of a function, by the source map of the built file; the file itself if it has none. */
function sourceOf(url: string, line: number, column: number): string {
  if (!url.startsWith("file:") || url.includes("/node_modules/")) return url;
  if (!mapOf.has(url)) {
    const file = `${fileURLToPath(url)}.map`;
    mapOf.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, "utf8"))) : undefined);
  }
  const entry = mapOf.get(url)?.findEntry(line, column);
  return entry !== undefined && "originalSource" in entry ? new URL(entry.originalSource, url).href : url;
}

/** The share of each part in the CPU time of a profile, in percent. */
function shares({ nodes, samples, timeDeltas }: CpuProfile): ReadonlyMap<string, number> {
  const partOf = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber, columnNumber } }) => {
      const where = url === "" ? functionName : sourceOf(url, lineNumber, columnNumber);
      return [id, parts.find(([, known]) => known.test(where))?.[0] ?? ""];
    }),
  );
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const part = partOf.get(id) ?? "";
    // A sample stands for the time up to the next one.
    times.set(part, (times.get(part) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  times.delete(WAITING);
  const sum = [...times.values()].reduce((total, time) => total + time, 0);
  return new Map([...times].map(([part, time]) => [part, (100 * time) / sum]));
}

/**
 * The CPU time of a target by part, as a table in Markdown with a column for each workload that has a profile in the folder.
 * @param workloads their names
 */
export function profileTable(folder: string, workloads: readonly string[], target: TargetName): string {
  const there = new Set(readdirSync(folder));
  const columns = workloads.flatMap((workload) => {
    const file = profileName(workload, target);
    if (!there.has(file)) return [];
    const profile = JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile;
    return [{ workload, shares: shares(profile) }];
  });
  const rows = parts
    .map(([part]) => [
      part,
      ...columns.map((column) => {
        const share = column.shares.get(part);
        return share === undefined ? "" : `${share.toFixed(1)} %`;
      }),
    ])
    .filter((cells) => cells.slice(1).some((cell) => cell !== ""));
  return grid(["", ...columns.map(({ workload }) => workload)], rows);
}
