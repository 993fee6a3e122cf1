import { A2AError } from "../errors.js";
import { errors, type Operation } from "../operations.js";
import type { ServedAgent } from "./served-agent.js";

/**
 * What the caller may know of a failure. Faults of the agent itself are logged with their cause, which goes nowhere else
 * (ERR-25).
 */
export function failure(thrown: unknown, agent: ServedAgent, operation?: Operation): A2AError {
  const error = A2AError.from(thrown);
  const { kind, httpStatus } = errors[error.code];
  if (kind !== "transport" && httpStatus >= 500) {
    agent.logger.error(
      { operation: operation?.name, code: error.code, err: error.cause ?? error },
      error.message,
    );
  }
  return error;
}
