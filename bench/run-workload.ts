import { join } from "node:path";
import { Server, type TargetName, targetNames } from "./driver/server.js";
import { profileName } from "./profile.js";
import type { Effort, Findings, Workload } from "./workload.js";

/** The findings by target, one entry for each round of the target. */
export type Found = Readonly<Partial<Record<TargetName, readonly (Findings | undefined)[]>>>;

/** A target whose visits take longer than this in all, in milliseconds, and this many times as long as those of the fastest, skips the rest. */
const PATIENCE = { time: 3_000, times: 4 };

/**
 * Warming up: small visits until the server has used so much CPU time, in microseconds, and its compilers have come to rest,
 * which takes thousands of requests: more in all where processes are shared. It goes on for so many milliseconds at most.
 */
const WARM_UP = { scale: 0.25, cpu: 1_500_000, inAll: 5_000_000, patience: 15_000 };

/** Running targets, for workloads that share their processes. */
export type SharedServers = Map<TargetName, Promise<Server>>;

/** Where the compiled targets are, and the running ones that workloads share. */
interface Targets {
  readonly folder: string;
  readonly shared: SharedServers;
}

/** Visits all targets in turn, round after round, so that other work of the machine affects all of them equally. */
export async function runWorkload(workload: Workload, targets: Targets, effort: Effort): Promise<Found> {
  const { starts = 1, often = 1 } = workload;
  const rounds = workload.rounds ?? Math.ceil((effort.rounds * often) / starts);
  const found: Partial<Record<TargetName, (Findings | undefined)[]>> = {};
  for (let start = 0; start < starts; start += 1) {
    const more = await visitAll(workload, targets, { ...effort, rounds });
    for (const name of Object.keys(more) as TargetName[])
      found[name] = [...(found[name] ?? []), ...(more[name] ?? [])];
  }
  return found;
}

/** The rounds of one start of the processes. */
async function visitAll(workload: Workload, { folder, shared }: Targets, effort: Effort): Promise<Found> {
  const names = (workload.targets ?? targetNames).filter((name) => effort.targets?.includes(name) ?? true);
  const start = (name: TargetName) =>
    Server.start(folder, name, workload.options, flagsOf(workload, name, effort));
  const take = (name: TargetName) => {
    const server = (workload.shared && shared.get(name)) || start(name);
    if (workload.shared) shared.set(name, server);
    return server;
  };
  const servers = workload.fresh ? [] : await Promise.all(names.map(take));
  const found: Partial<Record<TargetName, (Findings | undefined)[]>> = {};
  const spent = new Map<TargetName, number>();
  try {
    for (const server of servers) await workload.prepare?.(server, effort);
    await Promise.all(servers.map((server) => warmUp(workload, server, effort)));
    if (effort.profile !== undefined) for (const server of servers) await server.profile();
    const visit = async (name: TargetName, round: number): Promise<Findings | undefined> => {
      const taken = spent.get(name) ?? 0;
      const quickest = Math.min(...spent.values());
      if (round > 0 && taken > PATIENCE.time * effort.scale && taken > PATIENCE.times * quickest)
        return undefined;
      const begun = performance.now();
      const server = servers.find((one) => one.name === name) ?? (await start(name));
      if (workload.fresh) await workload.prepare?.(server, effort);
      const findings = await workload.visit(server, effort);
      if (workload.fresh) await server.stop();
      spent.set(name, taken + performance.now() - begun);
      return findings;
    };
    for (let round = 0; round < effort.rounds; round += 1) {
      const visits = workload.together ? names.map((name) => visit(name, round)) : [];
      for (const [index, name] of names.entries()) {
        found[name] ??= [];
        found[name].push(await (visits[index] ?? visit(name, round)));
      }
    }
    for (const server of servers)
      if (effort.profile !== undefined)
        await server.profile(join(effort.profile, profileName(workload.name, server.name)));
  } finally {
    if (!workload.shared) await Promise.all(servers.map((server) => server.stop()));
  }
  return found;
}

/** Flags for profiles: processes that serve a single visit profile their whole life, the others only their visits. */
function flagsOf(workload: Workload, name: TargetName, { profile }: Effort): string[] {
  if (profile === undefined || !workload.fresh) return [];
  return ["--cpu-prof", `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${profileName(workload.name, name)}`];
}

/** Visits a target until its compilers have come to rest. */
export async function warmUp(workload: Workload, server: Server, effort: Effort): Promise<void> {
  if (workload.cold) return;
  const now = await server.cpu();
  const end = Math.max(workload.shared ? WARM_UP.inAll : 0, now + (workload.warmUp ?? WARM_UP.cpu));
  const late = performance.now() + WARM_UP.patience;
  do await workload.visit(server, { ...effort, scale: WARM_UP.scale });
  while (performance.now() < late && (await server.cpu()) < end);
}
