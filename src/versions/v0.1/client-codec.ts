import { operations, protocolVersion } from "../../../generated/v0.1/operations.js";
import { omitUndefined } from "../../json/omit.js";
import type { ErrorCode } from "../../protocol/errors.js";
import type { Message, SendMessageRequest } from "../../protocol/model.js";
import type { OperationName } from "../../protocol/operations.js";
import type { ClientCodec, WireCall } from "../client-codec.js";
import { type RequestEncoders, requestWriter } from "../write-request.js";
import { message as messages } from "./content.js";
import { decodeEvent, eventReader, isLast, responseReader } from "./decode-response.js";
import { webhook as webhooks } from "./push.js";

/** History length to send if the request has none: that means the whole history in the model, and no messages in 0.1. */
const MANY = 100;

/** Writers of requests that have a task id and little else, in both dialects. Only the flat one can delete webhooks. */
export const taskIdRequests: RequestEncoders = {
  CancelTask: ({ id, metadata }) => omitUndefined({ id, metadata }),
  SubscribeToTask: ({ id }) => ({ id }),
  GetTaskPushNotificationConfig: ({ taskId }) => ({ id: taskId }),
  ListTaskPushNotificationConfigs: ({ taskId }) => ({ id: taskId }),
  DeleteTaskPushNotificationConfig: ({ taskId }) => ({ id: taskId }),
};

/** A request in the shape of 0.1. See {@link ClientCodec.encodeRequest}. */
export const encodeRequest = requestWriter({
  ...taskIdRequests,
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: ({ id, historyLength = MANY }) => ({ id, historyLength }),
  CreateTaskPushNotificationConfig: ({ taskId, ...config }) => ({
    id: taskId,
    pushNotificationConfig: webhooks.write(config),
  }),
});

/**
 * A new task gets the id of its message, so that a repeated send refers to the same task. `acceptedOutputModes` and `returnImmediately` of
 * the configuration do not exist in 0.1 and are left out.
 */
function send({ message, configuration = {}, metadata }: SendMessageRequest): object {
  const { taskId, contextId, messageId } = message;
  const { historyLength = MANY, taskPushNotificationConfig: webhook } = configuration;
  return omitUndefined({
    id: taskId || messageId,
    sessionId: taskId ? contextIdOf(message) : contextId || messageId,
    message: messages.write(message),
    pushNotification: webhook && webhooks.write(webhook),
    historyLength,
    metadata,
  });
}

/** The context id of a message; undefined if it has none, and for a task that is its own context. */
export function contextIdOf({ taskId, contextId }: Message): string | undefined {
  return contextId === taskId ? undefined : contextId || undefined;
}

const calls = new Map<OperationName, WireCall>([
  ...operations.map((row): [OperationName, WireCall] => [row.name, row]),
  // A task of 0.1 has at most one webhook, so listing webhooks calls the method that reads it.
  ["ListTaskPushNotificationConfigs", { method: "tasks/pushNotification/get", http: [] }],
]);

/** The client side of the first draft. */
export const clientCodec: ClientCodec = {
  version: protocolVersion,
  calls,
  conventions: {
    extensionsHeader: "A2A-Extensions",
    mediaType: "application/json",
    tenants: false,
    taskIdsOnly: true,
    looseFrames: true,
  },
  encodeRequest,
  decodeResponse: responseReader(),
  decodeEvent,
  eventReader,
  isLast,
  // Some agents report unsupported streaming with -32006; others use the number as the model does.
  errorCodeOf: (number, message) =>
    number === -32006 && !/stream/i.test(message) ? undefined : firstDraftNumbers.get(number),
};

/** Error codes by numbers that the schema of 0.1 does not define, but its text does. */
const firstDraftNumbers: ReadonlyMap<number, ErrorCode> = new Map([
  [-32006, "UNSUPPORTED_OPERATION"],
  [-32007, "UNAUTHENTICATED"],
  [-32008, "PERMISSION_DENIED"],
  [-32009, "UNSUPPORTED_OPERATION"],
  [-32010, "RATE_LIMITED"],
]);
