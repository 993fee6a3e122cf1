import { setTimeout } from "node:timers/promises";
import type { DrillNode, DrillNodes } from "./nodes.js";
import { frames } from "./task.js";

/** Seconds between two outages, and for which a node may be away after one. */
const [BETWEEN, LATEST] = [5, 60];

/** The result of the outages of a drill. */
export interface Outages {
  /** For each outage, the seconds until its node had completed a task again. */
  readonly recoveries: readonly number[];
  /** Nodes that did not come back. */
  readonly faults: readonly string[];
}

/** Cuts off one node after the other from its database for some seconds, until the drill is over. */
export async function outages(nodes: DrillNodes, length: number, until: number): Promise<Outages> {
  const recoveries: number[] = [];
  const faults: string[] = [];
  for (let turn = 0; performance.now() < until; turn += 1) {
    await setTimeout(BETWEEN * 1000);
    const node = nodes.any(turn % nodes.size);
    if (node?.proxy === undefined) continue;
    node.proxy.swallow();
    await setTimeout(length * 1000);
    node.proxy.pass();
    const begin = performance.now();
    const isBack = await works(node);
    const seconds = (performance.now() - begin) / 1000;
    recoveries.push(seconds);
    if (!isBack)
      faults.push(`node ${turn % nodes.size} did no task for ${LATEST} s after outage ${turn + 1}`);
  }
  return { recoveries, faults };
}

/** Whether a node completes a task within some time. */
async function works(node: DrillNode): Promise<boolean> {
  for (const end = performance.now() + LATEST * 1000; performance.now() < end; ) {
    try {
      const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "1 10" }] };
      const { value } = await frames(node.url, "SendMessage", { message }).next();
      if (value.data.task.status.state === "TASK_STATE_COMPLETED") return true;
    } catch {
      // Not yet.
    }
    await setTimeout(100);
  }
  return false;
}
