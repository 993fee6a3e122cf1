import { operations, protocolVersion } from "../../../generated/v0.1/operations.js";
import { type Operation, type OperationName, operation } from "../../operations.js";
import type { Codec, Customs } from "../codec.js";
import { isJsonObject } from "../json-text.js";
import { decodeFlatRequest, decodeRequest } from "./decode.js";
import { encoderOf, webhooksOf } from "./encode.js";
import { encodeCard, encodeFlatCard } from "./encode-card.js";
import { encodeError, encodeFlatError } from "./encode-error.js";
import { flatShape } from "./flat.js";
import { draftShape } from "./to-draft.js";

/** A task has one webhook in the draft: reading it is a list of which one is looked at. */
const methods = new Map<string, Operation>([
  ...operations.map(({ method, name }): [string, Operation] => [method, operation(name)]),
  ["tasks/pushNotification/get", operation("ListTaskPushNotificationConfigs")],
]);

const customs: Customs = {
  extensionsHeader: "A2A-Extensions",
  mediaType: "application/json",
  wholeLists: true,
  settledStreams: true,
  streamedErrors: false,
  clientTaskIds: true,
  tasksOnly: true,
};

/** The wire of the first draft, which is on JSON-RPC alone. Its requests name no version, or one that came later. */
export const codec: Codec = {
  version: protocolVersion,
  answersTo: ["0.3"],
  methods,
  routes: [],
  customs,
  ...encoderOf(draftShape),
  decodeRequest,
  encodeError,
  encodeHttpError: (error) => ({ error: encodeError(error) }),
  httpStatusOf: ({ httpStatus }) => httpStatus,
  cardPaths: ["/.well-known/agent.json"],
  encodeCard,
};

/** Methods that the flat dialect has on top of the draft's. */
const flatMethods: readonly [string, OperationName][] = [
  ["tasks/list", "ListTasks"],
  ["tasks/pushNotification/list", "ListTaskPushNotificationConfigs"],
  ["tasks/pushNotification/delete", "DeleteTaskPushNotificationConfig"],
];

const flat: Codec = {
  ...codec,
  version: `${protocolVersion}x`,
  // Its callers send the number of a version that came much later.
  answersTo: [protocolVersion, "0.3", "1.0"],
  methods: new Map([
    ...methods,
    ...flatMethods.map(([method, name]): [string, Operation] => [method, operation(name)]),
  ]),
  customs: { ...customs, settledStreams: false, framesWithoutId: true },
  ...encoderOf(flatShape),
  decodeRequest: decodeFlatRequest,
  encodeError: encodeFlatError,
  encodeHttpError: (error) => ({ error: encodeFlatError(error) }),
  cardPaths: ["/agentCard"],
  encodeCard: encodeFlatCard,
};

/** Reading the webhook and listing the webhooks of a task are one operation, with different answers. */
const listing: Codec = { ...flat, encodeResponse: webhooksOf(flatShape) };

/**
 * Both dialects: that of the draft for callers who write it, and the flat one for the others. Where a request tells nothing, it
 * is the draft.
 */
export const flatCodec: Codec = {
  ...flat,
  dialectOf: ({ method = "", headers, value }) => {
    if (method === "tasks/pushNotification/list") return listing;
    if (flatMethods.some(([name]) => name === method)) return flat;
    const params = isJsonObject(value) ? value : {};
    return (isDraft(params) ?? headers["a2a-version"] === undefined) ? codec : flat;
  },
};

/** Whether the members of a request are those of the draft; undefined when they do not tell. */
function isDraft({
  message,
  sessionId,
  contextId,
  pushNotificationConfig: webhook,
}: Record<string, unknown>) {
  if (sessionId !== undefined) return true;
  if (isJsonObject(webhook)) return webhook.webhookUrl === undefined;
  if (contextId !== undefined) return false;
  const parts =
    isJsonObject(message) && Array.isArray(message.parts) ? message.parts.filter(isJsonObject) : [];
  return parts.length === 0 ? undefined : parts.some(({ type }) => type !== undefined);
}
