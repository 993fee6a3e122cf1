import { redactedError, redactionFor } from "../auth/redaction.js";
import { A2AError, errors } from "../protocol/errors.js";
import type { OperationRequest } from "./operation-request.js";

/**
 * The error for the caller of a request that failed. Faults of the agent are logged with their cause, which callers do not get. If the
 * caller has to authenticate, the error has the challenges of the agent (§3.3.2).
 */
export function failure(thrown: unknown, { agent, host, operation }: OperationRequest): A2AError {
  const error = A2AError.from(thrown);
  const { kind, httpStatus } = errors[error.code];
  if (kind !== "transport" && httpStatus >= 500) {
    // The cause may contain credentials of the request.
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

/** The text of the log line. For an invalid response it names the faulty member, as in `status.state must be one of ...`. */
function lineOf({ code, message }: A2AError, err: unknown): string {
  return code === "INVALID_AGENT_RESPONSE" && err instanceof Error ? `${message}: ${err.message}` : message;
}
