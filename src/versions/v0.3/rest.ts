import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import type { OperationName } from "../../protocol/operations.js";
import { memberOf, type UntypedObject } from "../card-interfaces.js";
import type { Codec } from "../codec.js";
import { decodeProtoRequest } from "./decode.js";
import { proto, rpc } from "./dialect.js";
import { encoderOf } from "./encode.js";
import { MAX_RESOURCE_NAME } from "./names.js";

const CONFIGS = "/pushNotificationConfigs/";

/**
 * The id of a push config in the name of its resource, `tasks/{id}/pushNotificationConfigs/{id}`; undefined for a value without
 * {@link CONFIGS}. A name longer than {@link MAX_RESOURCE_NAME} is returned unchanged.
 */
function configIdIn(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const at = name.indexOf(CONFIGS);
  if (at < 0) return undefined;
  return name.length > MAX_RESOURCE_NAME ? name : name.slice(at + CONFIGS.length);
}

/** Reads requests in which the task is a member `task`, as it is in paths. */
function readingTask(decode: Codec["decodeRequest"]): Codec["decodeRequest"] {
  return (name, value) => decode(name, isJsonObject(value) ? withTask(name, value) : value);
}

/** Reads requests in the shapes of the protocol buffers, with the task as a member `task`. */
export const decodeProtoCall = readingTask(decodeProtoRequest);

/**
 * The codecs of HTTP+JSON: one with the shapes of JSON-RPC, and one with those of the protocol buffers, which many peers use. The
 * response has the shapes of the request or, if the request does not show them, those of the protocol buffers.
 * @returns a function that selects the codec for the value of a request
 */
export function restCodecs(codec: Codec): (value: unknown) => Codec {
  const rpcCodec = {
    ...codec,
    ...encoderOf(rpc, true),
    decodeRequest: readingTask(codec.decodeRequest),
  };
  const protoCodec = { ...codec, ...encoderOf(proto, true), decodeRequest: decodeProtoCall };
  return (value) => (isProto(value) ? protoCodec : rpcCodec);
}

/**
 * Whether a request has the shapes of the protocol buffers: its message has `content` or a role such as `ROLE_USER`, or nothing shows those
 * of JSON-RPC. These show in `kind`, `parts` or `role` of a message or, without a message, in the `taskId` beside a webhook.
 */
function isProto(value: unknown): boolean {
  if (!isJsonObject(value)) return true;
  const message = value.message ?? value.request;
  if (!isJsonObject(message)) return memberOf(innermost(value, "config"), "taskId") === undefined;
  const { content, kind, parts, role } = message;
  if (content !== undefined || (typeof role === "string" && role.startsWith("ROLE_"))) return true;
  return kind === undefined && parts === undefined && role === undefined;
}

/** The request in the shape of JSON-RPC, in which the task is the member `id` or, to create a webhook, `taskId`. */
function withTask(operation: OperationName, { task, ...value }: UntypedObject): UntypedObject {
  if (task === undefined) return value;
  if (operation !== "CreateTaskPushNotificationConfig") return { ...value, id: task };
  return { taskId: task, pushNotificationConfig: webhookIn(value) };
}

/**
 * The webhook in the body of a create: the body itself, or its member `config` or `pushNotificationConfig`, or the latter within the
 * former. Its id is in the webhook, in `configId` of the body or query, or at the end of the `name` beside it.
 */
function webhookIn(body: UntypedObject): unknown {
  const config = innermost(body, "config");
  const webhook = innermost(config, "pushNotificationConfig");
  if (webhook === body && webhook.url === undefined) return undefined;
  const { authentication: given, ...rest } = webhook;
  // Writers of protocol buffers may send an empty object instead of none.
  const authentication = isJsonObject(given) && !given.schemes && !given.credentials ? undefined : given;
  return omitUndefined({
    ...rest,
    authentication,
    id: webhook.id || memberOf(body, "configId") || configIdIn(config.name),
  });
}

/** The object in a member, or the enclosing object if the member is not an object. */
function innermost(value: UntypedObject, member: string): UntypedObject {
  const inner = memberOf(value, member);
  return isJsonObject(inner) ? inner : value;
}
