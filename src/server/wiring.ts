import type { Agent } from "../agent/define-agent.js";
import { type Capability, capabilities } from "../card/build-card.js";
import { handlerMethod, operations, UnimplementedHandler } from "../operations.js";

/**
 * The optional features that an agent has something behind (CARD-13). For a handler: every operation that needs the
 * capability has a method other than the one that refuses. For a definition: what the engine can do with it.
 */
export function wiredCapabilities(agent: Agent): ReadonlySet<Capability> {
  if (!("handler" in agent)) {
    return new Set<Capability>(
      agent.extendedCard === undefined ? ["streaming"] : ["streaming", "extendedAgentCard"],
    );
  }
  const { handler } = agent;
  const answers = (capability: Capability) =>
    operations
      .filter((row) => row.capability === capability)
      .map(handlerMethod)
      .every(
        (method) =>
          handler[method] !== undefined && handler[method] !== UnimplementedHandler.prototype[method],
      );
  return new Set(capabilities.filter(answers));
}
