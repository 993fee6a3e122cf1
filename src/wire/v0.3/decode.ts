import type { TypeName } from "../../../generated/v0.3/fields.js";
import type { MessageSendConfiguration, MessageSendParams } from "../../../generated/v0.3/models.js";
import {
  isDeleteTaskPushNotificationConfigParams,
  isGetTaskPushNotificationConfigParams,
  isListTaskPushNotificationConfigParams,
  isMessageSendParams,
  isTaskIdParams,
  isTaskPushNotificationConfig,
  isTaskQueryParams,
  type Validator,
} from "../../../generated/v0.3/validators.js";
import type { SendMessageConfiguration, SendMessageRequest } from "../../model.js";
import type { OperationName, OperationTypes } from "../../operations.js";
import { refusal } from "../violation.js";
import { decodeMessage } from "./content.js";
import { readLenient } from "./lenient.js";
import { decodePush } from "./push.js";

type Decoders = {
  readonly [Name in OperationName]: (value: unknown) => OperationTypes[Name]["request"];
};

/** As many tasks as a page can have: whoever asks here gets all pages as one list. */
const PAGE = 100;

const decoders: Decoders = {
  SendMessage: decodeSend,
  SendStreamingMessage: decodeSend,
  GetTask: (value) => {
    const { id, historyLength } = read(isTaskQueryParams, "TaskQueryParams", value);
    return { id, ...(historyLength !== undefined && { historyLength }) };
  },
  ListTasks: () => ({ pageSize: PAGE, includeArtifacts: true }),
  CancelTask: (value) => read(isTaskIdParams, "TaskIdParams", value),
  SubscribeToTask: (value) => ({ id: read(isTaskIdParams, "TaskIdParams", value).id }),
  // Without an id of its own a config has that of its task, so that one without an id replaces another.
  CreateTaskPushNotificationConfig: (value) => {
    const type = "TaskPushNotificationConfig";
    const { taskId, pushNotificationConfig } = read(isTaskPushNotificationConfig, type, value);
    return { id: taskId, ...decodePush(pushNotificationConfig), taskId };
  },
  GetTaskPushNotificationConfig: (value) => {
    const type = "GetTaskPushNotificationConfigParams";
    const { id, pushNotificationConfigId } = read(isGetTaskPushNotificationConfigParams, type, value);
    return { taskId: id, id: pushNotificationConfigId || id };
  },
  ListTaskPushNotificationConfigs: (value) => {
    const type = "ListTaskPushNotificationConfigParams";
    return { taskId: read(isListTaskPushNotificationConfigParams, type, value).id };
  },
  DeleteTaskPushNotificationConfig: (value) => {
    const type = "DeleteTaskPushNotificationConfigParams";
    const { id, pushNotificationConfigId } = read(isDeleteTaskPushNotificationConfigParams, type, value);
    return { taskId: id, id: pushNotificationConfigId };
  },
  GetExtendedAgentCard: () => ({}),
};

/**
 * Reads a request of this version, lenient as requests of the newest one are read, and gives it in terms of the model.
 * @throws A2AError INVALID_PARAMS naming the first faulty member by its name in this version
 */
export function decodeRequest<Name extends OperationName>(
  name: Name,
  value: unknown,
): OperationTypes[Name]["request"] {
  return decoders[name](value);
}

function read<T>(isValid: Validator<T>, type: TypeName, value: unknown): T {
  if (isValid(value)) return value;
  const rebuilt = readLenient(type, value);
  if (isValid(rebuilt)) return rebuilt;
  throw refusal(isValid.errors);
}

function decodeSend(value: unknown): SendMessageRequest {
  const params: MessageSendParams = read(isMessageSendParams, "MessageSendParams", value);
  const { message, configuration, metadata } = params;
  return {
    message: decodeMessage(message),
    ...(configuration !== undefined && { configuration: decodeConfiguration(configuration) }),
    ...(metadata !== undefined && { metadata }),
  };
}

function decodeConfiguration(configuration: MessageSendConfiguration): SendMessageConfiguration {
  const { blocking = true, pushNotificationConfig, ...rest } = configuration;
  return {
    ...rest,
    ...(!blocking && { returnImmediately: true }),
    ...(pushNotificationConfig !== undefined && {
      taskPushNotificationConfig: decodePush(pushNotificationConfig),
    }),
  };
}
