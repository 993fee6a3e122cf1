import type { DrillNodes } from "./nodes.js";
import { frames } from "./task.js";

/** Milliseconds from a cancel to the answer, and to the abort of the executor. */
interface Canceled {
  readonly answered: number;
  readonly aborted: number;
}

/**
 * The time from a cancel on one node to the abort of the executor on another, in words. The first rounds of new processes are reported
 * separately, because their time is mostly that of a first request.
 * @param size how many nodes there are
 */
export async function cancels(nodes: DrillNodes, size: number, rounds: number): Promise<string> {
  const first: Canceled[] = [];
  const rest: Canceled[] = [];
  for (let round = 0; round < 2 * size + rounds; round += 1) {
    const found = await cancel(nodes, round % size, (round + 1) % size);
    (round < 2 * size ? first : rest).push(found);
  }
  const inOrder = [...rest].sort((one, other) => one.aborted - other.aborted);
  const [middle, last] = [inOrder[Math.floor(rest.length / 2)], inOrder.at(-1)];
  const cold = Math.max(...first.map(({ aborted }) => aborted));
  const way = Math.max(...[...first, ...rest].map(({ answered, aborted }) => aborted - answered));
  return [
    `median ${shown(middle?.aborted)}`,
    `slowest ${shown(last?.aborted)} of ${rounds} (its caller was answered after ${shown(last?.answered)})`,
    `${shown(cold)} among the first requests of the processes`,
    `never more than ${shown(way)} behind the answer to the caller`,
  ].join(", ");
}

async function cancel(nodes: DrillNodes, here: number, there: number): Promise<Canceled> {
  const [holder, other] = [nodes.any(here), nodes.any(there)];
  if (holder === undefined || other === undefined) throw new Error("A node is missing");
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "1 60000" }] };
  const configuration = { returnImmediately: true };
  const { value } = await frames(holder.url, "SendMessage", { message, configuration }).next();
  const { id } = value.data.task;
  const stopped = nodes.aborted(id);
  const start = performance.now();
  await frames(other.url, "CancelTask", { id }).next();
  const answered = performance.now() - start;
  await stopped;
  return { answered, aborted: performance.now() - start };
}

function shown(milliseconds = 0): string {
  return `${milliseconds.toFixed(1)} ms`;
}
