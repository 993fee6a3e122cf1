import type { OperationName, OperationTypes } from "../../operations.js";
import { isJsonObject } from "../json-text.js";
import { decodeLoosely, type RequestTranslators, taskIdIn } from "../v0.1/decode.js";

/** Operations that the draft does not have. */
const translators: RequestTranslators = {
  ListTasks: () => ({ includeArtifacts: true }),
  DeleteTaskPushNotificationConfig: (params) => ({ taskId: taskIdIn(params), id: taskIdIn(params) }),
};

/**
 * Reads a request of the flat dialect, as leniently as its servers do.
 * @throws A2AError INVALID_PARAMS naming the first faulty member, in terms of the model
 */
export function decodeRequest<Name extends OperationName>(
  name: Name,
  value: unknown,
): OperationTypes[Name]["request"] {
  return decodeLoosely(name, value, translators);
}

/**
 * Reads a request for the whole list of webhooks: those of a task, or of all tasks when it names none.
 * @throws A2AError INVALID_PARAMS
 */
export function decodeListing<Name extends OperationName>(
  name: Name,
  value: unknown,
): OperationTypes[Name]["request"] {
  const isOfAll = isJsonObject(value) && taskIdIn(value) === undefined;
  return isOfAll ? ({ taskId: "" } as OperationTypes[Name]["request"]) : decodeRequest(name, value);
}
