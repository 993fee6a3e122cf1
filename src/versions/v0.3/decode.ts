import { requestGuards } from "../../../generated/v0.3/guards.js";
import { operations } from "../../../generated/v0.3/operations.js";
import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import type { OperationName } from "../../protocol/operations.js";
import { memberOf, type UntypedObject } from "../card-interfaces.js";
import type { Codec } from "../codec.js";
import { type Aliases, protoJsonReader } from "../proto-json.js";
import { readInteger } from "../proto-scalars.js";
import { readRequest, requestRows } from "../read-request.js";
import * as newest from "../v1.0/decode.js";
import { containers, messages, unions } from "./fields.js";
import { modelState } from "./names.js";
import { messageToModel, webhookToModel } from "./to-model.js";

/** Names that documents and peers use in addition to the standard ones. */
const aliases: Aliases = {
  FileContent: { bytes: ["fileWithBytes", "data"], uri: ["fileWithUri"] },
  MessageSendParams: { message: ["request"] },
};

const readLenient = protoJsonReader(
  { messages, unions, containers, enums: {} },
  // Examples in the specification omit the kind of the message in a request.
  { aliases, absent: (type, { name }) => (type === "Message" && name === "kind" ? "message" : undefined) },
);

/** The maximum page size of the model, because the server joins all pages into one list in this version. */
const PAGE = { pageSize: 100 };

/** Translates requests to the model. */
const translators: Readonly<Record<OperationName, (params: UntypedObject) => object>> = {
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: ({ id, historyLength }) => omitUndefined({ id, historyLength }),
  ListTasks: ({ status, pageToken: _, ...filters }) =>
    omitUndefined({ includeArtifacts: true, ...filters, status: status && modelState(status), ...PAGE }),
  CancelTask: ({ id, metadata }) => omitUndefined({ id, metadata }),
  SubscribeToTask: ({ id }) => ({ id }),
  // A config without an id gets the id of its task, so that it replaces one that was created without an id.
  CreateTaskPushNotificationConfig: ({ taskId, pushNotificationConfig }) => ({
    id: taskId,
    ...(webhookToModel(pushNotificationConfig) as object),
    taskId,
  }),
  GetTaskPushNotificationConfig: ({ id, pushNotificationConfigId }) => ({
    taskId: id,
    id: pushNotificationConfigId || id,
  }),
  ListTaskPushNotificationConfigs: ({ id }) => ({ taskId: id }),
  DeleteTaskPushNotificationConfig: ({ id: taskId, pushNotificationConfigId: id }) => ({ taskId, id }),
  GetExtendedAgentCard: () => ({}),
};

const rows = requestRows(operations, requestGuards);

/**
 * Reads a request in the shapes of JSON-RPC, validated by the rules of this version and then by those of the model. ListTasks, which
 * the schema of this version lacks, is validated by those of the model only. See {@link Codec}.
 */
export const decodeRequest: Codec["decodeRequest"] = (name, value) => {
  const row = rows.get(name);
  const params = row === undefined ? value : readRequest(row, value, readLenient);
  return newest.decodeRequest(name, isJsonObject(params) ? translators[name](params) : params);
};

/**
 * Reads a request in the shapes of the protocol buffers, whose writers may omit false and 0: a send whose configuration has no
 * `blocking` does not wait, and a `historyLength` of 0 in its configuration means all messages. A send without a configuration waits.
 * See {@link Codec}.
 */
export const decodeProtoRequest: Codec["decodeRequest"] = (name, value) => {
  if (translators[name] !== send || !isJsonObject(value)) return decodeRequest(name, value);
  const { configuration, ...rest } = value;
  if (!isJsonObject(configuration)) return newest.decodeRequest(name, send(value));
  const { history_length: short, historyLength = short, blocking, ...settings } = configuration;
  const pushNotificationConfig =
    memberOf(settings, "pushNotification") ?? memberOf(settings, "pushNotificationConfig");
  // ProtoJSON: null counts as absent.
  const defaults = { blocking: blocking ?? false, historyLength: readInteger(historyLength) || undefined };
  const given = { ...settings, ...defaults, pushNotificationConfig };
  return newest.decodeRequest(name, send({ ...rest, configuration: given }));
};

function send({ message, request = message, configuration, metadata }: UntypedObject): object {
  return omitUndefined({
    // Parts of unknown kinds are kept, so that the validator reports those without a known content.
    message: messageToModel(request, () => true),
    configuration: configurationToModel(configuration),
    metadata,
  });
}

function configurationToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { blocking = true, pushNotificationConfig, ...rest } = value;
  return omitUndefined({
    ...rest,
    returnImmediately: blocking === true ? undefined : blocking === false || blocking,
    taskPushNotificationConfig: webhookToModel(pushNotificationConfig),
  });
}
