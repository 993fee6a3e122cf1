/**
 * `a2a-parley/bridges`: serves existing agents and systems over the protocol. `adaptAgent` wraps an agent of another framework;
 * `UnimplementedHandler` is the base of gateways and bridges that answer the operations themselves.
 *
 * @packageDocumentation
 */

export type { HandlerAgent } from "../agent/define-agent.js";
export { checkSendRequest } from "../protocol/check-send.js";
export type { A2AHandler } from "../protocol/operations.js";
export { UnimplementedHandler } from "../protocol/unimplemented-handler.js";
export { adaptAgent, type InvocableAgent, type InvocationOptions } from "./adapt-agent.js";
export type { AgentUpdate, ArtifactPiece, StatusDictionary } from "./agent-update.js";
export { pageOfTasks } from "./page-of-tasks.js";
