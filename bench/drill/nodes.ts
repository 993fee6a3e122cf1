import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A process of the drill. */
export interface DrillNode {
  readonly url: string;
  readonly child: ChildProcess;
}

/** The processes that serve the agent. */
export class DrillNodes {
  /** Ids of the processes that were killed. */
  readonly killed = new Set<number>();
  readonly #address: string;
  readonly #nodes: DrillNode[] = [];
  readonly #aborted = new Map<string, () => void>();

  /** @param address of the store that they share */
  constructor(address: string) {
    this.#address = address;
  }

  async start(): Promise<DrillNode> {
    const entry = new URL("node.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, ["--import", "tsx", entry, this.#address], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout });
    const [line] = await once(lines, "line");
    lines.on("line", (text: string) => this.#aborted.get(text.replace("aborted ", ""))?.());
    const node = { url: String(line).replace("listening ", ""), child };
    this.#nodes.push(node);
    return node;
  }

  /** Any node, or the one that is named by its place; undefined while there is none. */
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
