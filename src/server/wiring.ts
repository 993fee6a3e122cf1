import type { Agent } from "../agent/define-agent.js";
import { type Capability, capabilities } from "../card/build-card.js";
import { handlerMethod, operations } from "../protocol/operations.js";
import { UnimplementedHandler } from "../protocol/unimplemented-handler.js";

/**
 * The optional features that an agent implements. For a handler: every operation that needs the
 * capability has a method other than the one that refuses. For a definition: what the engine can do with it.
 *
 * @param push how webhooks are called; undefined when they are not
 */
export function wiredCapabilities(agent: Agent, push?: object): ReadonlySet<Capability> {
  if (!("handler" in agent)) {
    const wired = new Set<Capability>(["streaming"]);
    if (push !== undefined) wired.add("pushNotifications");
    if (agent.extendedCard !== undefined) wired.add("extendedAgentCard");
    return wired;
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
