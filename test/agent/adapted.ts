import { type AgentUpdate, adaptAgent, type InvocableAgent } from "../../src/bridges/index.js";
import type { Logger } from "../../src/index.js";
import { serveExecutor, text } from "../support/peer.js";

/** Streams what it is told to. */
export function streaming(...updates: unknown[]): InvocableAgent {
  return {
    async *stream() {
      yield* updates as AgentUpdate[];
    },
  };
}

/** Sends one message to an adapted agent and gives the task that comes of it. */
export async function run(t: any, agent: InvocableAgent, logger?: Logger) {
  const { rpc } = await serveExecutor(t, adaptAgent(agent), logger ? { logger } : {});
  const { result } = await rpc.call(
    "SendMessage",
    text("100 USD in EUR", { message: { contextId: "talk" } }),
  );
  return { task: result.task, rpc };
}
