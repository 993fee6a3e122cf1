import type { SendMessageRequest, TaskPushNotificationConfig } from "../../model.js";
import type { ClientCodec } from "../client-codec.js";
import { filled, present } from "../present.js";
import { startOf } from "../whole-list.js";
import { requestWriter } from "../write-request.js";
import { encodeWebhook, proto, text, type Writer } from "./dialect.js";
import { protoState } from "./names.js";

/** Requests in the shapes of JSON-RPC. */
export const encodeRequest = writerIn(text, "pushNotificationConfig", (config) => text.push(config));

/** Requests in the shapes of the protocol buffers. A webhook names its task twice, once for the path. */
export const encodeProtoRequest = writerIn(proto, "pushNotification", (config) => {
  const { taskId, id } = config;
  return present({ taskId, parent: `tasks/${taskId}`, configId: id, config: proto.push(config) });
});

/**
 * @param webhook member of a send's settings that holds a webhook
 * @param create writes the request that registers a webhook
 */
function writerIn(
  write: Writer,
  webhook: string,
  create: (config: TaskPushNotificationConfig) => object,
): ClientCodec["encodeRequest"] {
  /** Agents differ in what they do when nothing is said about waiting: so it always is. */
  const send = ({ message, configuration: settings = {}, metadata }: SendMessageRequest): object => {
    const { acceptedOutputModes, historyLength, returnImmediately } = settings;
    const { taskPushNotificationConfig: push } = settings;
    const configuration = filled({
      blocking: returnImmediately !== true,
      acceptedOutputModes,
      historyLength,
      [webhook]: push && encodeWebhook(push),
    });
    return present({ message: write.message(message), configuration, metadata });
  };
  return requestWriter({
    SendMessage: send,
    SendStreamingMessage: send,
    GetTask: ({ id, historyLength }) => present({ id, historyLength }),
    ListTasks: (request) => {
      const { contextId, status } = request;
      startOf(request);
      return present({ contextId, status: status && protoState(status) });
    },
    CancelTask: ({ id, metadata }) => present({ id, metadata }),
    SubscribeToTask: ({ id }) => ({ id }),
    CreateTaskPushNotificationConfig: create,
    GetTaskPushNotificationConfig: ({ taskId, id }) => ({ id: taskId, pushNotificationConfigId: id }),
    ListTaskPushNotificationConfigs: ({ taskId }) => ({ id: taskId }),
    DeleteTaskPushNotificationConfig: ({ taskId, id }) => ({ id: taskId, pushNotificationConfigId: id }),
    GetExtendedAgentCard: () => ({}),
  });
}
