import { redactedError, redactionFor } from "../../auth/redaction.js";
import { A2AError } from "../../protocol/errors.js";
import { errors } from "../../protocol/operations.js";
import type { RefusedRequest, ServedAgent } from "./served-agent.js";

/** A request that failed, as far as it got. */
export interface Failed extends RefusedRequest {
  readonly agent: ServedAgent;
}

/**
 * What the caller may know of a failure. Faults of the agent itself are logged with their cause, which goes nowhere else
 * (ERR-25). Whoever is asked who they are is told how to say it (ERR-17).
 */
export function failure(thrown: unknown, { agent, request, operation }: Failed): A2AError {
  const error = A2AError.from(thrown);
  const { kind, httpStatus } = errors[error.code];
  if (kind !== "transport" && httpStatus >= 500) {
    // Whatever it is, it may repeat what the caller has sent (SEC-12).
    const err = redactedError(error.cause ?? error, redactionFor(request));
    agent.logger.error({ operation: operation?.name, code: error.code, err }, error.message);
  }
  agent.denied?.(error, { request, operation });
  const { challenge } = agent;
  if (error.code !== "UNAUTHENTICATED" || error.challenge !== undefined || challenge === undefined)
    return error;
  const { code, message, metadata, violations } = error;
  return new A2AError(code, message, { metadata, violations, challenge });
}
