import type { TestContext } from "vitest";
import type { AgentDefinition } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { collect, type Peer, plainCard, serveFor } from "../support/peer.js";

/** A send that does not wait for what comes of it. */
export const started = { configuration: { returnImmediately: true } };

/** Two nodes on one store, with one agent. Leases are short, so that what a node leaves is taken over soon. */
export async function twoNodes(
  t: TestContext,
  execute: AgentDefinition["execute"],
  more: Partial<AgentDefinition> = {},
) {
  const store = new MemoryStore();
  const agent = { card: plainCard, execute, ...more };
  const options = { store, leaseTime: 0.3 };
  const [here, there] = [await serveFor(t, agent, options), await serveFor(t, agent, options)];
  return { store, here, there };
}

export async function stateOf(peer: Peer, id: string): Promise<string> {
  return (await peer.call("GetTask", { id })).result.status.state;
}

/** Follows a task on a node; `end` is the last frame of its stream. */
export async function follow(peer: Peer, id: string) {
  const stream = peer.stream("SubscribeToTask", { id });
  await stream.next();
  return { end: collect(stream).then((frames) => frames.at(-1)?.data.statusUpdate.status) };
}
