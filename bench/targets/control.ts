import { readFileSync, writeFileSync } from "node:fs";
import type { Session } from "node:inspector/promises";
import { setImmediate } from "node:timers/promises";

/** The message of a target to the driver once it listens: its port, and the paths of its bindings. */
export interface Ready {
  readonly port: number;
  readonly jsonRpc: string;
  readonly httpJson: string;
}

/** A question of the driver. */
export type Question =
  | { readonly ask: "cpu" }
  | { readonly ask: "writes" }
  | { readonly ask: "memory" }
  | { readonly ask: "marks" }
  | { readonly ask: "statements" }
  | { readonly ask: "profile"; readonly file?: string }
  | { readonly ask: "fill"; readonly count: number; readonly tenant: string };

/** Bytes in use after garbage collection: the heap, and memory outside it. */
export interface Memory {
  readonly heap: number;
  readonly held: number;
}

/** Options of a target, the first argument of its command line. */
export interface TargetOptions {
  /** Name of the target, where several are in one file. */
  readonly name?: string;
  /** Delay of every call of the store, in milliseconds. */
  readonly storeDelay?: number;
  /** Size of a body in bytes that the target must accept, if that differs from its default. */
  readonly bodyLimit?: number;
  /** Path of the SQLite file that tasks are stored in. */
  readonly sqlite?: string;
  /** Whether a commit to that file waits for the disk. */
  readonly synchronous?: "full" | "normal";
  /** Folder of the built application that the target serves. */
  readonly folder?: string;
  /** URL of the PostgreSQL database that tasks are stored in. */
  readonly postgres?: string;
  /** URL of the libSQL server that tasks are stored on. */
  readonly libsql?: string;
}

/** A task for stores that are to be full before anything is measured. */
export interface FinishedTask {
  readonly id: string;
  readonly contextId: string;
  readonly timestamp: string;
}

/** The functions of a target. */
export interface TargetParts {
  start(options: TargetOptions): Promise<Ready>;
  /** Puts finished tasks of a tenant into the store. */
  fill?(tasks: Iterable<FinishedTask>, tenant: string): Promise<void>;
  /** How many statements it has sent to its database. */
  statements?(): number;
}

const marks: number[] = [];

/** Records the CPU time that the process has used so far. */
export function mark(): void {
  marks.push(cpu());
}

/** Starts a target and answers the driver's questions until the driver has gone. */
export async function serveTarget({ start, fill, statements }: TargetParts): Promise<void> {
  const answer = async (question: Question): Promise<unknown> => {
    if (question.ask === "cpu") return cpu();
    if (question.ask === "writes") return writes();
    if (question.ask === "memory") return await memory();
    if (question.ask === "marks") return marks.splice(0);
    if (question.ask === "statements") return statements?.() ?? Number.NaN;
    if (question.ask === "profile") return await profile(question.file);
    await fill?.(finished(question.count), question.tenant);
    return undefined;
  };
  process.on("message", (question: Question) => {
    void answer(question).then((value) => process.send?.({ value }));
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ value: await start(JSON.parse(process.argv[2] ?? "{}") as TargetOptions) });
}

/** How many tasks of a filled store are in the context `hundred`. */
const IN_ONE_CONTEXT = 100;

/** Finished tasks, one a millisecond, each in a context of its own except for those hundred. */
function* finished(count: number): Generator<FinishedTask> {
  for (let index = 0; index < count; index += 1) {
    const contextId = index % (count / IN_ONE_CONTEXT) === 0 ? "hundred" : `context-${index}`;
    const timestamp = new Date(Date.UTC(2025, 0, 1) + index).toISOString();
    yield { id: `task-${index}`, contextId, timestamp };
  }
}

/** CPU time of all threads of this process in microseconds, as the operating system counts it. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Calls of the system that have written something, those to sockets included; not a number where the system does not count. */
function writes(): number {
  try {
    return Number(/^syscw: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}

let profiler: Session | undefined;

/** Begins a profile of where CPU time goes, or ends it and writes it to a file. */
async function profile(file: string | undefined): Promise<void> {
  if (profiler !== undefined && file !== undefined) {
    const { profile: found } = await profiler.post("Profiler.stop");
    writeFileSync(file, JSON.stringify(found));
    profiler.disconnect();
    profiler = undefined;
    return;
  }
  // Not loaded by targets whose start is measured.
  const { Session } = await import("node:inspector/promises");
  profiler = new Session();
  profiler.connect();
  await profiler.post("Profiler.enable");
  await profiler.post("Profiler.start");
}

async function memory(): Promise<Memory> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, held: heapUsed + external };
}
