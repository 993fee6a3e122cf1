import { isJsonObject, writeJson } from "../../../json/json-text.js";
import type { A2AError, ErrorCode } from "../../../protocol/errors.js";
import { type Operation, type OperationName, operation } from "../../../protocol/operations.js";
import type { UntypedObject } from "../../card-interfaces.js";
import type { Codec, ErrorBody } from "../../codec.js";
import { camelCased } from "../../translation.js";
import { FLAT_VERSION, readVersion } from "../../version.js";
import { codec as firstDraft } from "../codec.js";
import { encoderOf } from "../encoder.js";
import { decodeListing, decodeRequest } from "./decode.js";
import { encodeCard, shape, webhooks } from "./encode.js";
import { credentialHeader } from "./webhook.js";

/** Error numbers of the flat dialect that differ from the model's. */
const numbers: { readonly [Code in ErrorCode]?: number } = {
  EXTENSION_SUPPORT_REQUIRED: -32007,
  VERSION_NOT_SUPPORTED: -32008,
  UNAVAILABLE: -32000,
  DEADLINE_EXCEEDED: -32000,
};

/** An error of the flat dialect. */
export function encodeError({ code, jsonRpcCode, message }: A2AError): ErrorBody {
  return { code: numbers[code] ?? jsonRpcCode, message };
}

/** Methods of the flat dialect that 0.1 does not have. */
const ownMethods: readonly [string, OperationName][] = [
  ["tasks/list", "ListTasks"],
  ["tasks/pushNotification/list", "ListTaskPushNotificationConfigs"],
  ["tasks/pushNotification/delete", "DeleteTaskPushNotificationConfig"],
];

const encoder = encoderOf(shape);

const flat: Codec = {
  ...firstDraft,
  version: FLAT_VERSION,
  // Callers of the dialect may name later versions.
  answersTo: [firstDraft.version, "0.3", "1.0"],
  methods: new Map([
    ...firstDraft.methods,
    ...ownMethods.map(([method, name]): [string, Operation] => [method, operation(name)]),
  ]),
  conventions: { ...firstDraft.conventions, streamsEndedTasks: false, framesWithoutId: true },
  ...encoder,
  // The body is the event, without the task.
  notification: { ...encoder.notification, needsTask: false, credentialHeader },
  // A subscription begins with the whole task.
  eventWriter: (name) => {
    const write = encoder.eventWriter(name);
    if (name === "SendStreamingMessage") return write;
    return (event) => (event.task === undefined ? write(event) : writeJson(shape.task(event.task, true)));
  },
  decodeRequest,
  encodeError,
  encodeHttpError: (error) => ({ error: encodeError(error) }),
  cardPaths: ["/agentCard"],
  encodeCard,
};

/** Reading the webhook of a task and listing webhooks are the same operation of the model, with different responses. */
const listing: Codec = { ...flat, decodeRequest: decodeListing, encodeResponse: webhooks };

/**
 * Serves both dialects: 0.1 for callers that use it, and the flat one for the others. Methods that only the flat dialect has are read in
 * it. A request that names no version is read in the dialect in which its task was created, if that is known. Otherwise the members
 * decide, then the named version; if neither does, it is 0.1.
 */
export const codec: Codec = {
  ...flat,
  dialects: [firstDraft],
  dialectByTask: true,
  dialectOf: ({ method = "", version: named, value, versionFromTask }) => {
    if (method === "tasks/pushNotification/list") return listing;
    if (versionFromTask || ownMethods.some(([name]) => name === method)) return flat;
    return (isFirstDraft(camelCased(value)) ?? isFirstDraftVersion(named)) ? firstDraft : flat;
  },
};

/** Whether a named version is 0.1, or none is named. */
function isFirstDraftVersion(named: string | undefined): boolean {
  return named === undefined || readVersion(named) === firstDraft.version;
}

/** Whether a request is in 0.1 and not in the flat dialect, by its members; undefined when they do not show it. */
function isFirstDraft({ message, sessionId, contextId, pushNotificationConfig: webhook }: UntypedObject) {
  if (sessionId !== undefined) return true;
  if (isJsonObject(webhook)) return camelCased(webhook).webhookUrl === undefined;
  if (contextId !== undefined) return false;
  const parts =
    isJsonObject(message) && Array.isArray(message.parts) ? message.parts.filter(isJsonObject) : [];
  return parts.length === 0 ? undefined : parts.some(({ type }) => type !== undefined);
}
