import { clientError, type ErrorCode } from "../../protocol/errors.js";
import type { AgentCapabilities, AgentCard } from "../../protocol/model.js";
import type { Operation } from "../../protocol/operations.js";

/** Refusals that are not the general one. */
const refusals: Readonly<Record<string, ErrorCode>> = {
  pushNotifications: "PUSH_NOTIFICATION_NOT_SUPPORTED",
};

/**
 * Demands that the agent's card declares the capability that an operation needs; absent means not declared (§3.3.4).
 * @throws A2AError UNSUPPORTED_OPERATION or PUSH_NOTIFICATION_NOT_SUPPORTED
 */
export function demandCapability({ capability }: Operation, { capabilities }: AgentCard): void {
  if (capability === null || capabilities[capability as keyof AgentCapabilities] === true) return;
  throw clientError(refusals[capability] ?? "UNSUPPORTED_OPERATION", undefined, {
    metadata: { capability },
  });
}
