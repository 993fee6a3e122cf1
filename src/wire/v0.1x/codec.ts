import { type Operation, type OperationName, operation } from "../../operations.js";
import type { Codec } from "../codec.js";
import { isJsonObject, writeJson } from "../json-text.js";
import { camelCased, type Json } from "../translation.js";
import { codec as draft } from "../v0.1/codec.js";
import { encoderOf } from "../v0.1/encoder.js";
import { readVersion } from "../version.js";
import { decodeListing, decodeRequest } from "./decode.js";
import { shape, webhooks } from "./encode.js";
import { encodeCard } from "./encode-card.js";
import { encodeError } from "./encode-error.js";
import { version } from "./version.js";
import { credentialHeader } from "./webhook.js";

/** Methods that the flat dialect has on top of the draft's. */
const ownMethods: readonly [string, OperationName][] = [
  ["tasks/list", "ListTasks"],
  ["tasks/pushNotification/list", "ListTaskPushNotificationConfigs"],
  ["tasks/pushNotification/delete", "DeleteTaskPushNotificationConfig"],
];

const encoder = encoderOf(shape);

const flat: Codec = {
  ...draft,
  version,
  // Its callers send the number of a version that came much later.
  answersTo: [draft.version, "0.3", "1.0"],
  methods: new Map([
    ...draft.methods,
    ...ownMethods.map(([method, name]): [string, Operation] => [method, operation(name)]),
  ]),
  customs: { ...draft.customs, settledStreams: false, framesWithoutId: true },
  ...encoder,
  notification: { ...encoder.notification, credentialHeader },
  // Who follows a task again gets it whole before anything else.
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

/** Reading the webhook and listing the webhooks of a task are one operation, with different answers. */
const listing: Codec = { ...flat, decodeRequest: decodeListing, encodeResponse: webhooks };

/**
 * Both dialects: that of the draft for callers who write it, and the flat one for the others. Where a request tells nothing, it
 * is the draft.
 */
export const codec: Codec = {
  ...flat,
  dialectByTask: true,
  dialectOf: ({ method = "", headers, value, born }) => {
    if (method === "tasks/pushNotification/list") return listing;
    if (born || ownMethods.some(([name]) => name === method)) return flat;
    return (isDraft(camelCased(value)) ?? isDraftVersion(headers["a2a-version"])) ? draft : flat;
  },
};

/** Callers of the draft send no version, or that of the draft; those of the dialect, one that came later. */
function isDraftVersion(header: unknown): boolean {
  return header === undefined || readVersion(String(header)) === draft.version;
}

/** Whether the members of a request are those of the draft; undefined when they do not tell. */
function isDraft({ message, sessionId, contextId, pushNotificationConfig: webhook }: Json) {
  if (sessionId !== undefined) return true;
  if (isJsonObject(webhook)) return camelCased(webhook).webhookUrl === undefined;
  if (contextId !== undefined) return false;
  const parts =
    isJsonObject(message) && Array.isArray(message.parts) ? message.parts.filter(isJsonObject) : [];
  return parts.length === 0 ? undefined : parts.some(({ type }) => type !== undefined);
}
