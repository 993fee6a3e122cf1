import type { SendMessageRequest } from "../../model.js";
import { conversationOf, type RequestEncoders, requestWriter } from "../v0.1/encode-request.js";
import { encodeMessage, encodeWebhook } from "./encode.js";

const encoders: RequestEncoders = {
  SendMessage: encodeSend,
  SendStreamingMessage: encodeSend,
  GetTask: ({ id }) => ({ id }),
  ListTasks: () => ({}),
  CreateTaskPushNotificationConfig: ({ taskId, ...config }) => ({
    id: taskId,
    pushNotificationConfig: encodeWebhook(config),
  }),
};

/** A request in the shape of the flat dialect. See {@link ClientCodec.encodeRequest}. */
export const encodeRequest = requestWriter(encoders);

function encodeSend({ message, metadata }: SendMessageRequest): object {
  const { taskId } = message;
  const contextId = conversationOf(message);
  return {
    ...(taskId && { id: taskId }),
    ...(contextId && { contextId }),
    message: encodeMessage(message),
    ...(metadata && { metadata }),
  };
}
