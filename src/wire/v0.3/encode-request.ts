import type { MessageSendParams } from "../../../generated/v0.3/models.js";
import type { SendMessageRequest } from "../../model.js";
import { holds } from "../../open-check.js";
import { type OperationName, type OperationTypes, operation } from "../../operations.js";
import { ContractFault } from "../contract-fault.js";
import { encodeMessage } from "./content.js";
import { encodePush, encodePushContent } from "./push.js";

type Encoders = {
  readonly [Name in OperationName]?: (request: OperationTypes[Name]["request"]) => object;
};

const encoders: Encoders = {
  SendMessage: encodeSend,
  SendStreamingMessage: encodeSend,
  GetTask: ({ id, historyLength }) => ({ id, ...(historyLength !== undefined && { historyLength }) }),
  CancelTask: ({ id, metadata }) => ({ id, ...(metadata !== undefined && { metadata }) }),
  SubscribeToTask: ({ id }) => ({ id }),
  CreateTaskPushNotificationConfig: (config) => encodePush(config),
  GetTaskPushNotificationConfig: ({ taskId, id }) => ({ id: taskId, pushNotificationConfigId: id }),
  ListTaskPushNotificationConfigs: ({ taskId }) => ({ id: taskId }),
  DeleteTaskPushNotificationConfig: ({ taskId, id }) => ({ id: taskId, pushNotificationConfigId: id }),
};

/**
 * A request of the model as a JSON object of this version.
 * @throws ContractFault when the request is not right, naming the member
 */
export function encodeRequest<Name extends OperationName>(
  name: Name,
  request: OperationTypes[Name]["request"],
): object {
  const { isRequest, request: type } = operation(name);
  if (!holds<OperationTypes[Name]["request"]>(isRequest, type, request))
    throw ContractFault.of(isRequest.errors);
  return encoders[name]?.(request) ?? {};
}

/** Agents differ in what they do when nothing is said about waiting: so it always is. */
function encodeSend({ message, configuration = {}, metadata }: SendMessageRequest): MessageSendParams {
  const { acceptedOutputModes, historyLength, returnImmediately, taskPushNotificationConfig } = configuration;
  return {
    message: encodeMessage(message),
    configuration: {
      blocking: returnImmediately !== true,
      ...(acceptedOutputModes?.length && { acceptedOutputModes }),
      ...(historyLength !== undefined && { historyLength }),
      ...(taskPushNotificationConfig && {
        pushNotificationConfig: encodePushContent(taskPushNotificationConfig),
      }),
    },
    ...(metadata !== undefined && { metadata }),
  };
}
