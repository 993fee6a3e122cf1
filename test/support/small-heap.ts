import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { program } from "./program.js";

/** Bytes that a process holds after a collection of garbage. */
export interface Held {
  /** Objects and strings. */
  readonly heap: number;
  /** Buffers. */
  readonly buffers: number;
}

/** MiB of old space that a process has which is to prove that callers cannot exhaust it. */
const OLD_SPACE = 256;

/** A server of a test in a process of its own, whose heap is as small as that of a small container. */
export class SmallHeapServer {
  readonly port: number;
  readonly #child: ChildProcess;
  #end: string | undefined;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    child.once("exit", (code, signal) => {
      this.#end = `The server ended with ${signal ?? `code ${code}`}`;
    });
  }

  /**
   * Starts a program that calls {@link tellPort}.
   * @param file path below the root
   */
  static async start(file: string, ...args: string[]): Promise<SmallHeapServer> {
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${OLD_SPACE}`, "--expose-gc", ...program(file), ...args],
      { stdio: ["ignore", "inherit", "inherit", "ipc"] },
    );
    const failed = once(child, "exit").then(() => Promise.reject(new Error("The server did not start")));
    const [port] = (await Promise.race([once(child, "message"), failed])) as [number];
    failed.catch(() => undefined);
    return new SmallHeapServer(child, port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How the process ended although the test had not asked for it; undefined while it lives. */
  get death(): string | undefined {
    return this.#end;
  }

  /** @throws Error when the process is gone */
  async held(): Promise<Held> {
    if (this.#end !== undefined) throw new Error(this.#end);
    this.#child.send("held");
    const [held] = (await once(this.#child, "message")) as [Held];
    return held;
  }

  async stop(): Promise<void> {
    if (this.#end !== undefined) return;
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}

/** The other side: tells at which port the server listens, and what it holds. Ends the process when the test has ended. */
export function tellPort(port: number): void {
  process.send?.(port);
  process.on("message", async () => {
    // Several rounds: finalizers of the first one let go of more.
    for (let round = 0; round < 3; round += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    process.send?.({ heap: heapUsed, buffers: arrayBuffers });
  });
  process.on("disconnect", () => process.exit(0));
}
