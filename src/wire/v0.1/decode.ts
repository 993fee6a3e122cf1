import { enums, messages, unions } from "../../../generated/v0.1/fields.js";
import { operations } from "../../../generated/v0.1/operations.js";
import { invalidParams } from "../../errors.js";
import { type OperationName, type OperationTypes, operation } from "../../operations.js";
import { isJsonObject } from "../json-text.js";
import { protoJsonReader } from "../proto-json.js";
import { refusal } from "../violation.js";
import { type Json, messageToModel, present, webhookToModel } from "./to-model.js";

const readLenient = protoJsonReader({ messages, unions, enums });

/** How a request is brought into the terms of the model: both dialects, whose names differ and do not clash. */
const translators: { readonly [Name in OperationName]?: (params: Json) => object } = {
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: (params) => present({ id: taskId(params), historyLength: historyLength(params) }),
  CancelTask: (params) => present({ id: taskId(params), metadata: params.metadata }),
  SubscribeToTask: (params) => present({ id: taskId(params) }),
  ListTasks: () => ({ includeArtifacts: true }),
  CreateTaskPushNotificationConfig: (params) => {
    const id = taskId(params);
    const webhook = webhookToModel(params.pushNotificationConfig);
    if (!isJsonObject(webhook)) throw invalidParams("pushNotificationConfig", "is required");
    return present({ ...webhook, taskId: id, id });
  },
  ListTaskPushNotificationConfigs: (params) => present({ taskId: taskId(params) }),
  DeleteTaskPushNotificationConfig: (params) => present({ taskId: taskId(params), id: taskId(params) }),
};

/**
 * Reads a request of the draft, judged by the draft's own rules and then by those of the model.
 * @throws A2AError INVALID_PARAMS naming the first faulty member
 */
export function decodeRequest<Name extends OperationName>(
  name: Name,
  value: unknown,
): OperationTypes[Name]["request"] {
  const row = operations.find((candidate) => candidate.name === wireName(name));
  if (row === undefined) return decodeLoosely(name, value);
  const params = row.isRequest(value) ? value : readLenient(row.request, value);
  if (!row.isRequest(params)) throw refusal(row.isRequest.errors);
  return decodeLoosely(name, completed(params, value));
}

/** The draft reads one webhook where the model lists them. */
function wireName(name: OperationName): string {
  return name === "ListTaskPushNotificationConfigs" ? "GetTaskPushNotificationConfig" : name;
}

/** No history is asked for by saying nothing; early clients say which modes they take, of which the schema does not know. */
function completed(params: object, value: unknown): object {
  const { historyLength = 0 } = params as Json;
  const modes = isJsonObject(value) ? value.acceptedOutputModes : undefined;
  return { ...params, historyLength, ...(modes !== undefined && { acceptedOutputModes: modes }) };
}

/**
 * Reads a request of either dialect, judged by the rules of the model alone.
 * @throws A2AError INVALID_PARAMS naming the first faulty member, in terms of the model
 */
export function decodeLoosely<Name extends OperationName>(
  name: Name,
  value: unknown,
): OperationTypes[Name]["request"] {
  const request = translators[name]?.(isJsonObject(value) ? value : {});
  const { isRequest } = operation(name);
  if (isRequest(request)) return request;
  throw refusal(isRequest.errors);
}

function send(params: Json): object {
  const { message, metadata, acceptedOutputModes } = params;
  const id = taskId(params) ?? inner(message, "taskId");
  const contextId = params.sessionId ?? params.contextId ?? inner(message, "contextId");
  const webhook = webhookToModel(params.pushNotification ?? params.pushNotificationConfig);
  return present({
    message: messageToModel(message, {
      taskId: id as string | undefined,
      contextId: (contextId || undefined) as string | undefined,
      messageId: () => crypto.randomUUID(),
    }),
    configuration: present({
      acceptedOutputModes: Array.isArray(acceptedOutputModes)
        ? acceptedOutputModes.flatMap((mode) => modes.get(mode) ?? mode)
        : undefined,
      historyLength: historyLength(params),
      taskPushNotificationConfig: isJsonObject(webhook) ? present({ ...webhook, id }) : undefined,
    }),
    metadata,
  });
}

/** Words that stood for media types. Any file at all is no preference. */
const modes: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text/plain"]],
  ["data", ["application/json"]],
  ["file", []],
]);

function taskId({ id, taskId }: Json): unknown {
  return id ?? taskId ?? undefined;
}

function inner(message: unknown, member: string): unknown {
  return isJsonObject(message) ? (message[member] ?? undefined) : undefined;
}

/** Anything below one asks for no history. */
function historyLength({ historyLength: length }: Json): unknown {
  return typeof length === "number" && length < 0 ? 0 : length;
}
