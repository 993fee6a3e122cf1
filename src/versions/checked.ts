import { type A2AError, clientError } from "../protocol/errors.js";
import { RequestFault } from "./paginate.js";
import { ContractFault } from "./version.js";

type Code = "INVALID_PARAMS" | "INVALID_AGENT_RESPONSE";

/**
 * Runs a reader or a writer of a value.
 * @throws A2AError with the given code for a ContractFault; INVALID_PARAMS for a RequestFault; the other errors of `run`
 */
export function checked<T>(code: Code, what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RequestFault) throw invalidValue("INVALID_PARAMS", "request", error);
    throw error instanceof ContractFault ? invalidValue(code, what, error) : error;
  }
}

/** The error for a value with a fault. */
export function invalidValue(code: Code, what: string, fault: ContractFault): A2AError {
  const { field, expected: description, message } = fault;
  return clientError(code, `Invalid ${what}: ${message}`, {
    violations: [{ field, description }],
    cause: fault,
  });
}
