import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import type { OperationName } from "../../protocol/operations.js";
import { memberOf, type UntypedObject } from "../card-interfaces.js";
import type { Codec } from "../codec.js";
import { decodeProtoRequest } from "./decode.js";
import { proto, text } from "./dialect.js";
import { encoderOf } from "./encode.js";

const CONFIGS = "/pushNotificationConfigs/";
/** Longest name from which an id is cut out: the part keeps the whole text in memory. */
const MAX_NAME = 2048;

/**
 * The id of a push config in the name of its resource, `tasks/{id}/pushNotificationConfigs/{id}`; undefined when it is no such name.
 * Of a name that is too long to hold two ids it is the name itself, which is refused as an id.
 */
function configIdIn(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const at = name.indexOf(CONFIGS);
  if (at < 0) return undefined;
  return name.length > MAX_NAME ? name : name.slice(at + CONFIGS.length);
}

/**
 * The codecs of HTTP+JSON: one with the shapes of JSON-RPC, and one with those of the protocol buffers, which is what peers run.
 * Answers are written as the request was, and in the second way when it does not tell.
 */
export function restCodecs(codec: Codec): (value: unknown) => Codec {
  const reading = (decode: Codec["decodeRequest"]): Codec["decodeRequest"] => {
    return (name, value) => decode(name, isJsonObject(value) ? withTask(name, value) : value);
  };
  const texts = { ...codec, ...encoderOf(text, true), decodeRequest: reading(codec.decodeRequest) };
  const protos = { ...codec, ...encoderOf(proto, true), decodeRequest: reading(decodeProtoRequest) };
  return (value) => (isProto(value) ? protos : texts);
}

/** Whether a request is written in the shapes of the protocol buffers, which it is unless something in it says otherwise. */
function isProto(value: unknown): boolean {
  if (!isJsonObject(value)) return true;
  const message = value.message ?? value.request;
  if (!isJsonObject(message)) return memberOf(innermost(value, "config"), "taskId") === undefined;
  const { content, kind, parts, role } = message;
  if (content !== undefined || (typeof role === "string" && role.startsWith("ROLE_"))) return true;
  return kind === undefined && parts === undefined && role === undefined;
}

/** The request as JSON-RPC has it, where the task of the path is one of its members. */
function withTask(operation: OperationName, { task, ...value }: UntypedObject): UntypedObject {
  if (task === undefined) return value;
  if (operation !== "CreateTaskPushNotificationConfig") return { ...value, id: task };
  return { taskId: task, pushNotificationConfig: webhookIn(value) };
}

/**
 * The webhook in the body of a create: the body itself, or below `config`, `pushNotificationConfig` or both. Its id is in it, else in
 * `configId` of the body or the query, else at the end of the `name` beside it.
 */
function webhookIn(body: UntypedObject): unknown {
  const config = innermost(body, "config");
  const webhook = innermost(config, "pushNotificationConfig");
  if (webhook === body && webhook.url === undefined) return undefined;
  const { authentication: given, ...rest } = webhook;
  // Writers of protocol buffers may write an object without members where there is nothing to say.
  const authentication = isJsonObject(given) && !given.schemes && !given.credentials ? undefined : given;
  return omitUndefined({
    ...rest,
    authentication,
    id: webhook.id || memberOf(body, "configId") || configIdIn(config.name),
  });
}

/** The object below a member, or the one around it where there is none. */
function innermost(value: UntypedObject, member: string): UntypedObject {
  const inner = memberOf(value, member);
  return isJsonObject(inner) ? inner : value;
}
