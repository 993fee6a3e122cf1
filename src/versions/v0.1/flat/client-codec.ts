import { omitEmpty } from "../../../json/omit.js";
import type { ErrorCode } from "../../../protocol/errors.js";
import type { SendMessageRequest } from "../../../protocol/model.js";
import type { ClientCodec } from "../../client-codec.js";
import { elementsOf, pagingReader, startOf } from "../../paginate.js";
import { FLAT_VERSION } from "../../version.js";
import { requestWriter } from "../../write-request.js";
import { contextIdOf, clientCodec as firstDraft, taskIdRequests } from "../client-codec.js";
import { readTask, responseReader } from "../decode-response.js";
import { encodeMessage } from "./encode.js";
import { encodeWebhook } from "./webhook.js";

/** Agents of this dialect return all tasks; the client filters and pages the list. See {@link ClientCodec.decodeResponse}. */
export const decodeResponse = pagingReader(
  responseReader({
    ListTasks: (value) => ({ tasks: elementsOf(value, "tasks").map((one) => readTask(one, {})) }),
  }),
);

/**
 * A request in the shape of the flat dialect, without members that the dialect does not have, such as the configuration of a send and the
 * token of a webhook. See {@link ClientCodec.encodeRequest}.
 */
export const encodeRequest = requestWriter({
  ...taskIdRequests,
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: ({ id }) => ({ id }),
  ListTasks: (request) => {
    startOf(request);
    return {};
  },
  CreateTaskPushNotificationConfig: ({ taskId, ...config }) => ({
    id: taskId,
    pushNotificationConfig: encodeWebhook(config),
  }),
});

function send({ message, metadata }: SendMessageRequest): object {
  return omitEmpty({
    id: message.taskId,
    contextId: contextIdOf(message),
    message: encodeMessage(message),
    metadata,
  });
}

/** Error codes by the numbers that mean another error in the model. */
const numbers: ReadonlyMap<number, ErrorCode> = new Map([
  [-32007, "EXTENSION_SUPPORT_REQUIRED"],
  [-32008, "VERSION_NOT_SUPPORTED"],
]);

/** The client side of the flat dialect. */
export const clientCodec: ClientCodec = {
  ...firstDraft,
  version: FLAT_VERSION,
  calls: new Map([
    ...firstDraft.calls,
    ["ListTasks", { method: "tasks/list", http: [] }],
    ["ListTaskPushNotificationConfigs", { method: "tasks/pushNotification/list", http: [] }],
    ["DeleteTaskPushNotificationConfig", { method: "tasks/pushNotification/delete", http: [] }],
  ]),
  encodeRequest,
  decodeResponse,
  errorCodeOf: (number) => numbers.get(number),
};
