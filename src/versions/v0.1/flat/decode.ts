import { isJsonObject } from "../../../json/json-text.js";
import type { SendMessageRequest } from "../../../protocol/model.js";
import type { OperationName, OperationTypes } from "../../../protocol/operations.js";
import type { UntypedObject } from "../../card-interfaces.js";
import type { NewId } from "../../codec.js";
import { camelCased } from "../../translation.js";
import { decodeLoosely, type RequestTranslators, taskIdIn } from "../decode.js";
import { withOwnMembers } from "./webhook.js";

type Request<Name extends OperationName> = OperationTypes[Name]["request"];

/** Translators for the operations that 0.1 does not have. */
const translators: RequestTranslators = {
  ListTasks: () => ({ includeArtifacts: true }),
  DeleteTaskPushNotificationConfig: (params) => ({ taskId: taskIdIn(params), id: taskIdIn(params) }),
};

/** Adds to requests with a webhook the members of this dialect that the model does not have. */
const keepOwnMembers: {
  readonly [Name in OperationName]?: (request: Request<Name>, params: UntypedObject) => Request<Name>;
} = {
  SendMessage: withWebhook,
  SendStreamingMessage: withWebhook,
  CreateTaskPushNotificationConfig: (config, params) =>
    withOwnMembers(config, params, "pushNotificationConfig"),
};

function withWebhook(request: SendMessageRequest, params: UntypedObject): SendMessageRequest {
  const { configuration } = request;
  const config = configuration?.taskPushNotificationConfig;
  if (config === undefined) return request;
  const member = params.pushNotification ? "pushNotification" : "pushNotificationConfig";
  const taskPushNotificationConfig = withOwnMembers(config, params, member);
  return { ...request, configuration: { ...configuration, taskPushNotificationConfig } };
}

/**
 * Reads a request of the flat dialect.
 * @throws A2AError INVALID_PARAMS that names the first invalid member
 */
export function decodeRequest<Name extends OperationName>(
  name: Name,
  value: unknown,
  newId?: NewId,
): OperationTypes[Name]["request"] {
  const request = decodeLoosely(name, value, { own: translators, newId });
  return (keepOwnMembers[name]?.(request, camelCased(value)) as typeof request) ?? request;
}

/**
 * Reads a request for the list of webhooks: those of a task or, if it names no task, those of all tasks.
 * @throws A2AError INVALID_PARAMS for an invalid task id
 */
export function decodeListing<Name extends OperationName>(
  name: Name,
  value: unknown,
): OperationTypes[Name]["request"] {
  const isOfAll = isJsonObject(value) && taskIdIn(camelCased(value)) === undefined;
  return isOfAll ? ({ taskId: "" } as OperationTypes[Name]["request"]) : decodeRequest(name, value);
}
