import type { Agent } from "../agent/define-agent.js";
import type { CallContext } from "../call.js";
import type { A2AHandler } from "../operations.js";
import { Engine, type EngineOptions } from "./engine.js";
import { extensionRules } from "./extension-rules.js";

/** An agent at work. */
export interface OpenAgent {
  readonly handler: A2AHandler<CallContext>;
  /** Whether every answer is known to keep the contract; those of hand-made handlers are checked on their way out. */
  readonly trusted: boolean;
  /** Resolves when it can work; rejects with a TypeError when the schema of an extension is not valid. */
  readonly ready: Promise<void>;
  /** Stops its executors; tasks keep the state that they have. */
  close(): Promise<void>;
}

/** Starts an agent: its own handler, or an engine that runs its executor. */
export function openAgent(agent: Agent, options: Omit<EngineOptions, "agent" | "extensions">): OpenAgent {
  const done = Promise.resolve();
  if ("handler" in agent) return { handler: agent.handler, trusted: false, ready: done, close: () => done };
  const extensions = agent.extensions && extensionRules(agent.extensions);
  const engine = new Engine({ ...options, agent, ...(extensions && { extensions }) });
  return { handler: engine, trusted: true, ready: extensions?.ready ?? done, close: () => engine.close() };
}
