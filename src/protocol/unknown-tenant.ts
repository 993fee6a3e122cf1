import { type A2AError, clientError, invalidParams } from "./errors.js";
import { type Operation, operationErrors } from "./operations.js";

/** Maximum length of a name that an error repeats, in characters. */
const SHOWN = 256;

/** Members by which a request names its task. */
interface TaskNames {
  readonly id?: string;
  readonly taskId?: string;
  readonly message?: { readonly taskId?: string };
}

/**
 * The error of a call to a tenant that does not exist: TASK_NOT_FOUND when the request names a task, otherwise
 * INVALID_PARAMS for the field `tenant`. It repeats the id of the task, unless that is too long.
 *
 * @param fault what is wrong with the tenant, as text for the caller that follows the name of the field
 */
export function unknownTenant(
  { name }: Operation,
  request: object | null,
  fault = "is not a tenant of this agent",
): A2AError {
  const { id, taskId = id, message } = (request ?? {}) as TaskNames;
  const named = message === undefined ? taskId : message.taskId;
  return named && operationErrors[name].includes("TASK_NOT_FOUND")
    ? clientError("TASK_NOT_FOUND", undefined, named.length > SHOWN ? {} : { metadata: { taskId: named } })
    : invalidParams("tenant", fault);
}
