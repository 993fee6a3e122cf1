import type { SendMessageRequest } from "../../model.js";
import { filled } from "../present.js";
import { conversationOf, naming } from "../v0.1/encode-request.js";
import { requestWriter } from "../write-request.js";
import { encodeMessage } from "./encode.js";
import { encodeWebhook } from "./webhook.js";

/** A request in the shape of the flat dialect. See {@link ClientCodec.encodeRequest}. */
export const encodeRequest = requestWriter({
  ...naming,
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: ({ id }) => ({ id }),
  ListTasks: () => ({}),
  CreateTaskPushNotificationConfig: ({ taskId, ...config }) => ({
    id: taskId,
    pushNotificationConfig: encodeWebhook(config),
  }),
});

function send({ message, metadata }: SendMessageRequest): object {
  return filled({
    id: message.taskId,
    contextId: conversationOf(message),
    message: encodeMessage(message),
    metadata,
  });
}
