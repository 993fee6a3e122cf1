import type { Message, SendMessageRequest } from "../../model.js";
import { type OperationName, type OperationTypes, operation } from "../../operations.js";
import { ContractFault } from "../contract-fault.js";
import { messageToDraft, webhookToDraft } from "./to-draft.js";

/** How requests are written, by operation. */
export type RequestEncoders = {
  readonly [Name in OperationName]?: (request: OperationTypes[Name]["request"]) => object;
};

/** What stands for all of the history, where no length is asked for: the draft gives none by itself. */
const ALL = 100;

const named: RequestEncoders = {
  CancelTask: ({ id, metadata }) => ({ id, ...(metadata && { metadata }) }),
  SubscribeToTask: ({ id }) => ({ id }),
  GetTaskPushNotificationConfig: ({ taskId }) => ({ id: taskId }),
  ListTaskPushNotificationConfigs: ({ taskId }) => ({ id: taskId }),
  DeleteTaskPushNotificationConfig: ({ taskId }) => ({ id: taskId }),
};

const draft: RequestEncoders = {
  SendMessage: draftSend,
  SendStreamingMessage: draftSend,
  GetTask: ({ id, historyLength = ALL }) => ({ id, historyLength }),
  CreateTaskPushNotificationConfig: ({ taskId, ...config }) => ({
    id: taskId,
    pushNotificationConfig: webhookToDraft(config),
  }),
};

/** A request in the shape of the draft. See {@link ClientCodec.encodeRequest}. */
export const encodeRequest = requestWriter(draft);

/** Writes requests by a table, and those that look alike in both dialects. */
export function requestWriter(encoders: RequestEncoders) {
  return <Name extends OperationName>(name: Name, request: OperationTypes[Name]["request"]): object => {
    const { isRequest } = operation(name);
    if (!isRequest(request)) throw ContractFault.of(isRequest.errors);
    return (encoders[name] ?? named[name])?.(request) ?? request;
  };
}

/** A task that is to be begun gets the name of its message, so that a repetition of the send means the same task. */
function draftSend({ message, configuration = {}, metadata }: SendMessageRequest): object {
  const { taskId, contextId, messageId } = message;
  const { historyLength = ALL, taskPushNotificationConfig: webhook } = configuration;
  const sessionId = taskId ? conversationOf(message) : contextId || messageId;
  return {
    id: taskId || messageId,
    ...(sessionId && { sessionId }),
    message: messageToDraft(message),
    ...(webhook && { pushNotification: webhookToDraft(webhook) }),
    historyLength,
    ...(metadata && { metadata }),
  };
}

/** The conversation of a message; a task that had none is said to be one of its own. */
export function conversationOf({ taskId, contextId }: Message): string | undefined {
  return contextId === taskId ? undefined : contextId;
}
