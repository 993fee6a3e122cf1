import { operations, protocolVersion } from "../../../generated/v0.3/operations.js";
import { isJsonObject } from "../../json/json-text.js";
import { omitEmpty, omitUndefined } from "../../json/omit.js";
import type { SendMessageRequest } from "../../protocol/model.js";
import type { OperationName } from "../../protocol/operations.js";
import { memberOf, type UntypedObject } from "../card-interfaces.js";
import type { ClientCodec, WireCall } from "../client-codec.js";
import { elementsOf, nextTokenIn, pagingReader, startOf, webhooksIn } from "../paginate.js";
import * as newest from "../v1.0/decode-response.js";
import { type RequestEncoders, requestWriter } from "../write-request.js";
import { encodeWebhook, proto, rpc, type Writer } from "./dialect.js";
import { service, withName } from "./grpc.js";
import { protoState } from "./names.js";
import { eventToModel, pushToModel, taskToModel } from "./to-model.js";

/** Encodes requests in the shapes of JSON-RPC, in which lists of webhooks have no pages. */
export const encodeRequest = writerIn(rpc, "pushNotificationConfig", {
  CreateTaskPushNotificationConfig: (config) => rpc.push(config),
  ListTaskPushNotificationConfigs: ({ taskId }) => ({ id: taskId }),
});

/**
 * Encodes requests in the shapes of the protocol buffers, but with ids where these have names of resources: HTTP+JSON puts the ids into the
 * path, and for gRPC `withName` replaces them. A request to create a webhook has its name already, and `taskId` for the path.
 */
export const encodeProtoRequest = writerIn(proto, "pushNotification", {
  CreateTaskPushNotificationConfig: (config) => {
    const { taskId, id } = config;
    return omitUndefined({ taskId, parent: `tasks/${taskId}`, configId: id, config: proto.push(config) });
  },
  ListTaskPushNotificationConfigs: ({ taskId, pageSize, pageToken }) =>
    omitUndefined({ id: taskId, pageSize, pageToken }),
});

/**
 * Creates the writer of requests in one of the two formats.
 * @param webhook the member for a webhook in the configuration of a send
 * @param own writers of the requests whose members differ between the formats
 */
function writerIn(write: Writer, webhook: string, own: RequestEncoders): ClientCodec["encodeRequest"] {
  /** Writes a send. Agents have different defaults for `blocking`, so it is always written. */
  const send = ({ message, configuration: settings = {}, metadata }: SendMessageRequest): object => {
    const { acceptedOutputModes, historyLength, returnImmediately } = settings;
    const { taskPushNotificationConfig: push } = settings;
    const configuration = omitEmpty({
      blocking: returnImmediately !== true,
      acceptedOutputModes,
      historyLength,
      [webhook]: push && encodeWebhook(push),
    });
    return omitUndefined({ message: write.message(message), configuration, metadata });
  };
  return requestWriter({
    SendMessage: send,
    SendStreamingMessage: send,
    GetTask: ({ id, historyLength }) => omitUndefined({ id, historyLength }),
    ListTasks: (request) => {
      const { contextId, status } = request;
      startOf(request);
      return omitUndefined({ contextId, status: status && protoState(status) });
    },
    CancelTask: ({ id, metadata }) => omitUndefined({ id, metadata }),
    SubscribeToTask: ({ id }) => ({ id }),
    GetTaskPushNotificationConfig: ({ taskId, id }) => ({ id: taskId, pushNotificationConfigId: id }),
    DeleteTaskPushNotificationConfig: ({ taskId, id }) => ({ id: taskId, pushNotificationConfigId: id }),
    GetExtendedAgentCard: () => ({}),
    ...own,
  });
}

/** Converters of responses to the model, by operation. Their results are validated by the rules of the model afterwards. */
type Readers = { readonly [Name in OperationName]?: (value: unknown) => unknown };

const readers: Readers = {
  SendMessage: eventToModel,
  GetTask: taskOf,
  ListTasks: (value) => ({ tasks: elementsOf(value, "tasks").map(taskToModel) }),
  CancelTask: taskOf,
  CreateTaskPushNotificationConfig: pushToModel,
  GetTaskPushNotificationConfig: pushToModel,
  ListTaskPushNotificationConfigs: (value) => ({ configs: webhooksIn(value).map(pushToModel) }),
};

/** The readers for the bindings with the shapes of the protocol buffers, in which lists of webhooks have pages. */
const protoReaders: Readers = {
  ...readers,
  ListTaskPushNotificationConfigs: (value) => ({
    configs: webhooksIn(value).map(pushToModel),
    nextPageToken: nextTokenIn(value),
  }),
};

/** Creates a reader of responses. Over every binding they may have the shapes of JSON-RPC or of the protocol buffers. */
function responseReader(own: Readers): ClientCodec["decodeResponse"] {
  return pagingReader((name, value, { tolerate } = {}) =>
    newest.decodeResponse(name, own[name]?.(value) ?? value, { tolerate }),
  );
}

/** See {@link ClientCodec.decodeResponse}. */
export const decodeResponse = responseReader(readers);

/** See {@link ClientCodec.decodeEvent}. */
export const decodeEvent: ClientCodec["decodeEvent"] = (value, tolerate) =>
  newest.decodeEvent(eventToModel(value), tolerate);

/** Whether an event is marked as the last one. */
export function isLast(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const update = memberOf(value, "statusUpdate");
  return value.final === true || (isJsonObject(update) && update.final === true);
}

/** Reads a task, which some peers wrap in a member `task`. */
function taskOf(value: unknown): unknown {
  return taskToModel(isJsonObject(value) && isJsonObject(value.task) ? value.task : value);
}

/** The client side of protocol 0.3. */
export const clientCodec: ClientCodec = {
  version: protocolVersion,
  conventions: {
    extensionsHeader: "X-A2A-Extensions",
    mediaType: "application/json",
    tenants: false,
  },
  calls: new Map<OperationName, WireCall>(operations.map((row) => [row.name, row])),
  encodeRequest,
  decodeResponse,
  decodeEvent,
  isLast,
  forBinding: (binding) => others[binding] ?? clientCodec,
};

/** HTTP+JSON only: this version has no JSON-RPC method for the list of tasks. */
const list: WireCall = { method: "", http: [{ verb: "GET", path: "/v1/tasks" }], optional: true };

const CREATE = "CreateTaskPushNotificationConfig";
/** Some agents expect the whole request of the protocol buffers; others expect only the config in it. */
const create: WireCall = { method: "", http: clientCodec.calls.get(CREATE)?.http ?? [], inner: "config" };

/** The codec for HTTP+JSON, where most agents use the shapes of the protocol buffers. */
const httpJson: ClientCodec = {
  ...clientCodec,
  calls: new Map([...clientCodec.calls, ["ListTasks", list], [CREATE, create]]),
  encodeRequest: encodeProtoRequest,
  decodeResponse: responseReader(protoReaders),
};

/** The codec for gRPC: the shapes of the protocol buffers, with names of resources. Absent members have their default value. */
const grpc: ClientCodec = {
  ...clientCodec,
  grpc: service,
  encodeRequest: (name, request) => withName(name, encodeProtoRequest(name, request) as UntypedObject),
  decodeResponse: (name, value, reading) => {
    // The card of this version has members that `overGrpc` would drop.
    const answer = protoReaders[name]?.(value) ?? value;
    if (name === "GetExtendedAgentCard")
      return newest.decodeResponse(name, answer, { tolerate: reading?.tolerate });
    return newest.overGrpc.decodeResponse(name, answer, reading);
  },
  decodeEvent: (value, tolerate) => newest.overGrpc.decodeEvent(eventToModel(value), tolerate),
};

/** The codecs of bindings with shapes of their own. */
const others: Readonly<Record<string, ClientCodec>> = { "HTTP+JSON": httpJson, GRPC: grpc };

/** The call for the extended card. Agents of 0.2 may have a path for it instead of a method. */
const extendedCard: WireCall = {
  method: "agent/getAuthenticatedExtendedCard",
  http: [],
  path: "agent/authenticatedExtendedCard",
};

/** The client side of protocol 0.2. */
export const olderClientCodec: ClientCodec = {
  ...clientCodec,
  version: "0.2",
  calls: new Map([...clientCodec.calls, ["GetExtendedAgentCard", extendedCard]]),
  encodeRequest: (name, request) => withModes(encodeRequest(name, request)),
  forBinding: (binding) => ({ ...(others[binding] ?? olderClientCodec), version: "0.2" }),
};

/** Adds an empty list of accepted media types to a configuration without one: the releases before 0.2.6 require that member. */
function withModes(request: { readonly configuration?: object }): object {
  const { configuration } = request;
  if (configuration === undefined) return request;
  return { ...request, configuration: { acceptedOutputModes: [], ...configuration } };
}
