import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The state of a server. */
export interface Vitals {
  readonly tasks: number;
  readonly configs: number;
  /** Readers that wait for the next event of a task. */
  readonly waiting: number;
  readonly streams: number;
  readonly executions: number;
  /** Bytes, after a collection of garbage. */
  readonly heap: number;
  /** Live objects by the name of their class, as far as the server counts any. */
  readonly objects: Readonly<Record<string, number>>;
}

/** A server in its own process, which must survive everything that is sent to it. */
export class WatchedProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  #end: string | undefined;
  #isStopping = false;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    child.once("exit", (code, signal) => {
      this.#end = `It ended with ${signal ?? `code ${code}`}`;
    });
  }

  /**
   * Starts a script and waits until it reports its port.
   * @param script URL of the file, relative to the caller's
   */
  static async start(script: URL): Promise<WatchedProcess> {
    const child = fork(fileURLToPath(script), {
      execArgv: ["--import", "tsx", "--expose-gc"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const failed = once(child, "exit").then(() => Promise.reject(new Error("The server did not start")));
    const [{ port }] = (await Promise.race([once(child, "message"), failed])) as [{ port: number }];
    failed.catch(() => undefined);
    return new WatchedProcess(child, port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How the process ended unexpectedly; undefined while it lives. */
  get death(): string | undefined {
    return this.#isStopping ? undefined : this.#end;
  }

  /** @throws Error when the process is gone */
  async vitals(): Promise<Vitals> {
    return (await this.#ask("vitals")) as Vitals;
  }

  /** Bytes after a garbage collection. Objects are not counted, because that would delay the server. */
  async heap(): Promise<number> {
    return (await this.#ask("heap")) as number;
  }

  async #ask(question: string): Promise<unknown> {
    if (this.#end !== undefined) throw new Error(this.#end);
    this.#child.send(question);
    const [answer] = await once(this.#child, "message");
    return answer;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#end !== undefined) return;
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}

/** The side of the server: reports the port, answers questions, and exits when the parent process disconnects. */
export function beWatched(
  port: number,
  vitals: () => Vitals | Promise<Vitals>,
  close: () => Promise<void>,
): void {
  process.send?.({ port });
  process.on("message", async (question) => {
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.send?.(question === "heap" ? process.memoryUsage().heapUsed : await vitals());
  });
  process.on("disconnect", () => void close().then(() => process.exit(0)));
}
