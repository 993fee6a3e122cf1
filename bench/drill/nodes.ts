import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type SwallowingProxy, swallowingProxy } from "../../test/support/swallowing-proxy.js";
import { Runs } from "./runs.js";

/** A process of the drill. */
export interface DrillNode {
  readonly url: string;
  readonly child: ChildProcess;
  /** Between the node and its store, when there is something. */
  readonly proxy: SwallowingProxy | undefined;
}

/** The processes that serve the agent. */
export class DrillNodes {
  /** Ids of the processes that were killed. */
  readonly killed = new Set<number>();
  /** Start and end of each run of an executor. */
  readonly runs = new Runs();
  readonly #address: string;
  readonly #isProxied: boolean;
  readonly #nodes: DrillNode[] = [];
  readonly #aborted = new Map<string, () => void>();

  /**
   * @param address of the store that they share
   * @param isProxied whether each of them reaches it through its own proxy
   */
  constructor(address: string, isProxied: boolean) {
    this.#address = address;
    this.#isProxied = isProxied;
  }

  async start(): Promise<DrillNode> {
    const entry = new URL("node.ts", import.meta.url).pathname;
    const proxy = this.#isProxied ? await swallowingProxy(this.#address) : undefined;
    const child = spawn(process.execPath, ["--import", "tsx", entry, proxy?.url ?? this.#address], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout });
    const [line] = await once(lines, "line");
    const node = { url: String(line).replace("listening ", ""), child, proxy };
    lines.on("line", (text: string) => this.#read(text));
    this.#nodes.push(node);
    return node;
  }

  /** How many there are. */
  get size(): number {
    return this.#nodes.length;
  }

  #read(text: string): void {
    if (text.startsWith("aborted ")) this.#aborted.get(text.replace("aborted ", ""))?.();
    else this.runs.read(text);
  }

  /** Any node, or the one at an index; undefined while there is none. */
  any(place = Math.floor(Math.random() * this.#nodes.length)): DrillNode | undefined {
    return this.#nodes[place];
  }

  /** Ends a node as a crash would. */
  async kill(node: DrillNode): Promise<void> {
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    const exited = once(node.child, "exit");
    this.killed.add(node.child.pid ?? 0);
    node.child.kill("SIGKILL");
    await exited;
  }

  async killAll(): Promise<void> {
    for (const node of [...this.#nodes]) await this.kill(node);
  }

  /** Resolves when the executor of a task was told to stop. */
  aborted(taskId: string): Promise<void> {
    return new Promise((resolve) => this.#aborted.set(taskId, resolve));
  }
}
