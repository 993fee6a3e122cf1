import type { Message, SendMessageRequest } from "../../model.js";
import { present } from "../present.js";
import { type RequestEncoders, requestWriter } from "../write-request.js";
import { message as messages } from "./content.js";
import { webhook as webhooks } from "./push.js";

/** What stands for all of the history, where no length is asked for: the draft gives none by itself. */
const ALL = 100;

/** Requests that name a task and say little else: they look alike in both dialects. */
export const naming: RequestEncoders = {
  CancelTask: ({ id, metadata }) => present({ id, metadata }),
  SubscribeToTask: ({ id }) => ({ id }),
  GetTaskPushNotificationConfig: ({ taskId }) => ({ id: taskId }),
  ListTaskPushNotificationConfigs: ({ taskId }) => ({ id: taskId }),
  DeleteTaskPushNotificationConfig: ({ taskId }) => ({ id: taskId }),
};

/** A request in the shape of the draft. See {@link ClientCodec.encodeRequest}. */
export const encodeRequest = requestWriter({
  ...naming,
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: ({ id, historyLength = ALL }) => ({ id, historyLength }),
  CreateTaskPushNotificationConfig: ({ taskId, ...config }) => ({
    id: taskId,
    pushNotificationConfig: webhooks.write(config),
  }),
});

/** A task that is to be begun gets the name of its message, so that a repetition of the send means the same task. */
function send({ message, configuration = {}, metadata }: SendMessageRequest): object {
  const { taskId, contextId, messageId } = message;
  const { historyLength = ALL, taskPushNotificationConfig: webhook } = configuration;
  return present({
    id: taskId || messageId,
    sessionId: taskId ? conversationOf(message) : contextId || messageId,
    message: messages.write(message),
    pushNotification: webhook && webhooks.write(webhook),
    historyLength,
    metadata,
  });
}

/** The conversation of a message; a task that had none is said to be one of its own. */
export function conversationOf({ taskId, contextId }: Message): string | undefined {
  return contextId === taskId ? undefined : contextId || undefined;
}
