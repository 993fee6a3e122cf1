import type { TaskStore } from "../../src/stores/task-store.js";
import type { DrillTask } from "./task.js";
import { keyOf, type Webhooks } from "./webhooks.js";

/** The evidence of a drill. */
export interface Scene {
  readonly store: TaskStore;
  readonly tasks: readonly DrillTask[];
  readonly webhooks: Webhooks;
  /** Ids of the processes that were killed. */
  readonly killed: ReadonlySet<number>;
}

/** The outcome of a drill. */
export interface Verdict {
  /** All faults, one sentence each. */
  readonly faults: readonly string[];
  /** Tasks that were started again because their process was killed. */
  readonly takenOver: number;
  /** Tasks that were started again although their process lived, because it could not renew its lease in time. */
  readonly lost: number;
}

const scope = { agent: "", tenant: "", owner: "" };

/** Judges a drill by the logs, and by the events that readers and webhooks received. */
export async function judge({ store, tasks, webhooks, killed }: Scene): Promise<Verdict> {
  const faults: string[] = [];
  const [takenOver, lost] = [new Set<number>(), new Set<number>()];
  for (const [index, task] of tasks.entries()) {
    const found = await faultsOf(task, store, webhooks.got(pathOf(index)));
    faults.push(...found.faults.map((fault) => `task ${index} ${fault}`));
    for (const pid of found.left) (killed.has(pid) ? takenOver : lost).add(index);
  }
  return { faults, takenOver: takenOver.size, lost: lost.size };
}

/** Path of the webhook of a task. */
export function pathOf(index: number): string {
  return `/${index}`;
}

async function faultsOf(task: DrillTask, store: TaskStore, got: readonly string[]) {
  if (!task.ended || task.taskId === undefined)
    return { faults: [...task.faults, "has not ended"], left: [] };
  const faults = [...task.faults];
  const entries = (await store.read(scope, task.taskId, 0)) ?? [];
  if (entries.some(({ generation }, at) => generation !== at + 1)) faults.push("has a gap");
  const state = entries.at(-1)?.event.statusUpdate?.status.state;
  if (state !== "TASK_STATE_COMPLETED") faults.push(`ended as ${state}`);
  const keys = entries.map(({ event }) => keyOf(event));
  const runs = runsIn(keys);
  for (const [at, run] of runs.entries()) if (runs.indexOf(run) < at) faults.push(`went back to run ${run}`);
  let at = -1;
  for (const key of got) {
    const place = keys.indexOf(key);
    if (place > at + 1) faults.push(`has a webhook that received ${place + 1} after ${at + 1}`);
    at = Math.max(at, place);
  }
  if (at !== keys.length - 1) faults.push(`has a webhook that is at ${at + 1} of ${keys.length}`);
  return { faults, left: runs.slice(0, -1).map((run) => Number.parseInt(run, 10)) };
}

/** The runs that wrote a log, `<process> <attempt>`, in order: each once, unless two of them were mixed. */
function runsIn(keys: readonly string[]): string[] {
  const pieces = keys
    .filter((key) => /^\d+ \d+ \d+$/.test(key))
    .map((key) => key.slice(0, key.lastIndexOf(" ")));
  return pieces.filter((run, at) => run !== pieces[at - 1]);
}
