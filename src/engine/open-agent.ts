import type { Agent } from "../agent/define-agent.js";
import type { CallContext } from "../call.js";
import type { A2AHandler } from "../operations.js";
import { Engine, type EngineOptions } from "./engine.js";

/** An agent at work. */
export interface OpenAgent {
  readonly handler: A2AHandler<CallContext>;
  /** Whether every answer is known to keep the contract; those of hand-made handlers are checked on their way out. */
  readonly trusted: boolean;
  /** Stops its executors; tasks keep the state that they have. */
  close(): Promise<void>;
}

/** Starts an agent: its own handler, or an engine that runs its executor. */
export function openAgent(agent: Agent, options: Omit<EngineOptions, "agent">): OpenAgent {
  if ("handler" in agent) return { handler: agent.handler, trusted: false, close: () => Promise.resolve() };
  const engine = new Engine({ ...options, agent });
  return { handler: engine, trusted: true, close: () => engine.close() };
}
