import { type A2AError, clientError, invalidParams } from "./errors.js";
import type { Operation } from "./operations.js";

/** Longest name that an error repeats, in characters. */
const SHOWN = 256;

/** Members by which requests name the task that they are about. */
interface TaskNames {
  readonly id?: string;
  readonly taskId?: string;
  readonly message?: { readonly taskId?: string };
}

/**
 * The error of a call in a tenant that does not exist. There are no tasks in it: TASK_NOT_FOUND where the request names one,
 * INVALID_PARAMS naming `tenant` for all others.
 *
 * @param fault what is wrong with the tenant, in words for the caller
 */
export function unknownTenant(
  { errors }: Operation,
  request: object | null,
  fault = "is not a tenant of this agent",
): A2AError {
  const { id, taskId = id, message } = (request ?? {}) as TaskNames;
  const named = message === undefined ? taskId : message.taskId;
  return named && errors.includes("TASK_NOT_FOUND")
    ? clientError("TASK_NOT_FOUND", undefined, named.length > SHOWN ? {} : { metadata: { taskId: named } })
    : invalidParams("tenant", fault);
}
