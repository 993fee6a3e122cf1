import { redactedError, redactionFor } from "../auth/redaction.js";
import { A2AError, errors } from "../protocol/errors.js";
import type { OperationRequest } from "./operation-request.js";

/**
 * What the caller may know of a failure. Faults of the agent itself are logged with their cause, which goes nowhere else. A caller
 * who has to authenticate is told how (§3.3.2).
 */
export function failure(thrown: unknown, { agent, host, operation }: OperationRequest): A2AError {
  const error = A2AError.from(thrown);
  const { kind, httpStatus } = errors[error.code];
  if (kind !== "transport" && httpStatus >= 500) {
    // The cause may repeat what the caller has sent.
    const err = redactedError(error.cause ?? error, redactionFor(host));
    agent.logger.error({ operation: operation?.name, code: error.code, err }, lineOf(error, err));
  }
  host.refusal = error.code;
  agent.denied?.(error, { request: host, operation });
  const { challenge } = agent;
  if (error.code !== "UNAUTHENTICATED" || error.challenge !== undefined || challenge === undefined)
    return error;
  const { code, message, metadata, violations } = error;
  return new A2AError(code, message, { metadata, violations, challenge });
}

/** What is logged. The line of a bad response has the path of the member at fault, as in `status.state must be one of ...`. */
function lineOf({ code, message }: A2AError, err: unknown): string {
  return code === "INVALID_AGENT_RESPONSE" && err instanceof Error ? `${message}: ${err.message}` : message;
}
