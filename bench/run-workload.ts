import { join } from "node:path";
import { Server, type TargetName } from "./driver/server.js";
import { profileName } from "./profile.js";
import type { Effort, Findings, Workload } from "./workload.js";

/** What was found, by target, one entry for each round that the target took part in. */
export type Found = Readonly<Partial<Record<TargetName, readonly (Findings | undefined)[]>>>;

/** A target that takes longer than this for all its visits, in milliseconds, and so many times as long as the quickest, sits out the rest. */
const PATIENCE = { time: 3_000, times: 4 };

/**
 * Warming up: small visits until the server has used so much CPU time, in microseconds, by when its compilers have come to
 * rest; or until so many milliseconds are over, for one that waits most of the time.
 */
const WARM_UP = { scale: 0.25, cpu: 1_500_000, patience: 8_000 };

/** Visits all targets in turn, round after round, so that whatever else the machine does meets all of them alike. */
export async function runWorkload(workload: Workload, folder: string, effort: Effort): Promise<Found> {
  const names = effort.targets.filter((name) => workload.targets?.includes(name) ?? true);
  const start = (name: TargetName) =>
    Server.start(folder, name, workload.options, flagsOf(workload, name, effort));
  const servers = workload.fresh ? [] : await Promise.all(names.map(start));
  const found: Partial<Record<TargetName, (Findings | undefined)[]>> = {};
  const spent = new Map<TargetName, number>();
  try {
    for (const server of servers) await workload.prepare?.(server, effort);
    await Promise.all(servers.map((server) => warmUp(workload, server, effort)));
    if (effort.profile !== undefined) for (const server of servers) await server.profile();
    const rounds = workload.rounds ?? effort.rounds * (workload.often ?? 1);
    for (let round = 0; round < rounds; round += 1) {
      for (const name of names) {
        found[name] ??= [];
        const taken = spent.get(name) ?? 0;
        if (taken > PATIENCE.time * effort.scale && taken > PATIENCE.times * Math.min(...spent.values())) {
          found[name].push(undefined);
          continue;
        }
        const begun = Date.now();
        const server = servers.find((one) => one.name === name) ?? (await start(name));
        if (workload.fresh) await workload.prepare?.(server, effort);
        found[name].push(await workload.visit(server, effort));
        if (workload.fresh) await server.stop();
        spent.set(name, (spent.get(name) ?? 0) + Date.now() - begun);
      }
    }
    for (const server of servers)
      if (effort.profile !== undefined)
        await server.profile(join(effort.profile, profileName(workload.name, server.name)));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  return found;
}

/** Processes that serve a single visit write the profile of all their life; the others that of their visits. */
function flagsOf(workload: Workload, name: TargetName, { profile }: Effort): string[] {
  if (profile === undefined || !workload.fresh) return [];
  return ["--cpu-prof", `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${profileName(workload.name, name)}`];
}

async function warmUp(workload: Workload, server: Server, effort: Effort): Promise<void> {
  const end = (await server.cpu()) + WARM_UP.cpu;
  const late = performance.now() + WARM_UP.patience;
  do await workload.visit(server, { ...effort, scale: WARM_UP.scale });
  while (performance.now() < late && (await server.cpu()) < end);
}
