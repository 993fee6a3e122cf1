import type { Agent } from "../agent/define-agent.js";
import { type Capability, capabilities } from "../card/build-card.js";
import { handlerMethod, operations } from "../protocol/operations.js";
import { UnimplementedHandler } from "../protocol/unimplemented-handler.js";

/**
 * The optional capabilities that an agent implements. A handler implements a capability if every operation that needs it has a method other
 * than that of `UnimplementedHandler`. For a definition, the engine implements streaming, push notifications if `push` is given, and the
 * extended card if the definition has one.
 *
 * @param push options of push notifications; undefined if they are off
 */
export function supportedCapabilities(agent: Agent, push?: object): ReadonlySet<Capability> {
  if (!("handler" in agent)) {
    const supported = new Set<Capability>(["streaming"]);
    if (push !== undefined) supported.add("pushNotifications");
    if (agent.extendedCard !== undefined) supported.add("extendedAgentCard");
    return supported;
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
