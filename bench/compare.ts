import { Server } from "./driver/server.js";
import { warmUp } from "./run-workload.js";
import type { Effort, Findings, Workload } from "./workload.js";

/** Folders of compiled targets: with the library before a change, and after it. */
export interface Sides {
  readonly before: string;
  readonly now: string;
}

/** Change of a figure: the value after the change as a multiple of the one before. */
export interface Change {
  readonly label: string;
  readonly median: number;
  /** The 95 % confidence interval of the median. */
  readonly low: number;
  readonly high: number;
}

/**
 * Compares both sides over several starts of their processes, because the memory layout and the compiled code of a process differ from
 * start to start and with them its speed, by up to 3 %.
 */
export async function compare(
  workload: Workload,
  sides: Sides,
  effort: Effort,
  starts: number,
): Promise<Change[]> {
  const pairs: Pair[] = [];
  for (let start = 0; start < starts; start += 1) pairs.push(...(await pairsOf(workload, sides, effort)));
  return workload.measures.flatMap(({ key, label, atLeast }) => {
    const ratios = pairs.flatMap(([{ [key]: before = 0 }, { [key]: now = 0 }]) =>
      before > 0 && now > 0 ? [now / before] : [],
    );
    return atLeast || ratios.length === 0 ? [] : [changeOf(`${workload.name}: ${label}`, ratios)];
  });
}

/** Values of both sides: before, after. */
type Pair = readonly [Findings, Findings];

/** Visits both sides in turn, each first every other time, so that other work of the machine affects both alike. */
async function pairsOf(workload: Workload, sides: Sides, effort: Effort): Promise<Pair[]> {
  const start = (folder: string) => Server.start(folder, "parley", workload.options);
  const servers = workload.fresh ? [] : await Promise.all([start(sides.before), start(sides.now)]);
  const pairs: Pair[] = [];
  const visit = async (side: 0 | 1): Promise<Findings> => {
    const server = servers[side] ?? (await start(side === 0 ? sides.before : sides.now));
    if (workload.fresh) await workload.prepare?.(server, effort);
    const findings = await workload.visit(server, effort);
    if (workload.fresh) await server.stop();
    return findings;
  };
  try {
    for (const server of servers) await workload.prepare?.(server, effort);
    for (const server of servers) await warmUp(workload, server, effort);
    for (let pair = 0; pair < effort.rounds; pair += 1) {
      if (pair % 2 === 0) {
        const before = await visit(0);
        pairs.push([before, await visit(1)]);
      } else {
        const now = await visit(1);
        pairs.push([await visit(0), now]);
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  return pairs;
}

/** The interval of a sign test, which is valid for every distribution of the ratios. */
function changeOf(label: string, ratios: readonly number[]): Change {
  const sorted = [...ratios].sort((one, other) => one - other);
  const count = sorted.length;
  const at = (index: number): number => sorted[Math.min(Math.max(index, 0), count - 1)] ?? Number.NaN;
  const outside = Math.floor(count / 2 - 0.98 * Math.sqrt(count));
  return {
    label,
    median: (at((count - 1) >> 1) + at(count >> 1)) / 2,
    low: at(outside),
    high: at(count - 1 - outside),
  };
}

/** A change as a line of text. */
export function changeLine({ label, median, low, high }: Change): string {
  const verdict = high < 1.05 ? "ok    " : low > 1.05 ? "SLOWER" : "open  ";
  return `${verdict} ${label}: ${median.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}
