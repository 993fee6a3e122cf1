import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Memory, Question, Ready, TargetOptions } from "../targets/control.js";

/** The servers that are compared. The first one is the floor that the others are measured by. */
export const targetNames = ["node-http", "koa", "sdk", "parley"] as const;

/** Files with several targets, each of which is named: Parley in applications of frameworks, and routes of the frameworks themselves. */
const files = {
  hosted: ["parley-fetch", "parley-node", "parley-express", "parley-fastify", "parley-hono", "parley-koa"],
  "own-route": ["express", "fastify", "hono"],
  next: ["parley-next", "next"],
  grpc: ["connect-node", "sdk-grpc", "parley-grpc"],
} as const;

/** Name of a target; of those in {@link targetNames} also that of its file. */
export type TargetName =
  | (typeof targetNames)[number]
  | (typeof files)[keyof typeof files][number]
  | "parley-stored";

const fileOf = (name: TargetName): string =>
  Object.entries(files).find(([, names]) => (names as readonly string[]).includes(name))?.[0] ?? name;

/** A target in its own process. */
export class Server {
  readonly name: TargetName;
  readonly ready: Ready;
  /** When the process was started, by `performance.now()`. */
  readonly spawned: number;
  readonly #child: ChildProcess;

  private constructor(name: TargetName, ready: Ready, started: { child: ChildProcess; spawned: number }) {
    this.name = name;
    this.ready = ready;
    this.spawned = started.spawned;
    this.#child = started.child;
  }

  /**
   * Starts a target and waits until it listens.
   * @param folder where the compiled targets are
   */
  static async start(
    folder: string,
    name: TargetName,
    options: TargetOptions = {},
    flags: readonly string[] = [],
  ): Promise<Server> {
    // The output of a target is shown only if it does not start.
    const said = join(folder, `${name}.log`);
    const log = openSync(said, "w");
    const spawned = performance.now();
    const child = fork(join(folder, `${fileOf(name)}.js`), [JSON.stringify({ ...options, name })], {
      execArgv: ["--expose-gc", ...flags],
      stdio: ["ignore", "ignore", log, "ipc"],
    });
    closeSync(log);
    const failed = once(child, "exit").then(() => {
      throw new Error(`${name} did not start: ${readFileSync(said, "utf8")}`);
    });
    const [{ value }] = (await Promise.race([once(child, "message"), failed])) as [{ value: Ready }];
    failed.catch(() => undefined);
    return new Server(name, value, { child, spawned });
  }

  get port(): number {
    return this.ready.port;
  }

  /** CPU time that the process has used, in microseconds. */
  cpu(): Promise<number> {
    return this.#ask({ ask: "cpu" });
  }

  /** Number of write calls of the process, to sockets or elsewhere; NaN if the system does not count them. */
  writes(): Promise<number> {
    return this.#ask({ ask: "writes" });
  }

  /** Statements that a target with a durable store has sent to its database. */
  statements(): Promise<number> {
    return this.#ask({ ask: "statements" });
  }

  /** Memory in use after garbage collection. */
  memory(): Promise<Memory> {
    return this.#ask({ ask: "memory" });
  }

  /** CPU times at the beginning and after each quarter of the agent's words. */
  marks(): Promise<number[]> {
    return this.#ask({ ask: "marks" });
  }

  /** Puts finished tasks of a tenant into the store. */
  fill(count: number, tenant: string): Promise<void> {
    return this.#ask({ ask: "fill", count, tenant });
  }

  /** Starts a CPU profile; with a file, ends it and writes it there. */
  profile(file?: string): Promise<void> {
    return this.#ask({ ask: "profile", ...(file !== undefined && { file }) });
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }

  async #ask<Answer>(question: Question): Promise<Answer> {
    this.#child.send(question);
    const [{ value }] = (await once(this.#child, "message")) as [{ value: Answer }];
    return value;
  }
}
