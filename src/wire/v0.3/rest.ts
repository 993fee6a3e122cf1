import type { OperationName } from "../../operations.js";
import type { Codec } from "../codec.js";
import { isJsonObject } from "../json-text.js";
import { decodeProtoRequest } from "./decode.js";
import { proto, text } from "./dialect.js";
import { encoderOf } from "./encode.js";

/**
 * The codecs of HTTP+JSON: one with the shapes of JSON-RPC, and one with those of the protocol buffers, which is what peers run.
 * Answers are written as the request was, and in the second way when it does not tell.
 */
export function restCodecs(codec: Codec): (value: unknown) => Codec {
  const reading = (decode: Codec["decodeRequest"]): Codec["decodeRequest"] => {
    return (name, value) => decode(name, unfolded(name, value));
  };
  const texts = { ...codec, ...encoderOf(text, true), decodeRequest: reading(codec.decodeRequest) };
  const protos = { ...codec, ...encoderOf(proto, true), decodeRequest: reading(decodeProtoRequest) };
  return (value) => (isProto(value) ? protos : texts);
}

/** Whether a request is written in the shapes of the protocol buffers, which it is unless something in it says otherwise. */
function isProto(value: unknown): boolean {
  if (!isJsonObject(value)) return true;
  const message = value.message ?? value.request;
  if (!isJsonObject(message)) return (isJsonObject(value.config) ? value.config : value).taskId === undefined;
  const { content, kind, parts, role } = message;
  if (content !== undefined || String(role).startsWith("ROLE_")) return true;
  return kind === undefined && parts === undefined && role === undefined;
}

/** A webhook as JSON-RPC has it: the path names its task, and its id may stand beside it, or at the end of its name. */
function unfolded(operation: OperationName, value: unknown): unknown {
  if (operation !== "CreateTaskPushNotificationConfig" || !isJsonObject(value)) return value;
  const { id: taskId, configId, config = value } = value;
  const { name, pushNotificationConfig: webhook } = isJsonObject(config) ? config : {};
  const [, named] = /\/pushNotificationConfigs\/(.+)$/.exec(String(name)) ?? [];
  const id = (isJsonObject(webhook) && webhook.id) || configId || named;
  return { taskId, pushNotificationConfig: isJsonObject(webhook) && id ? { ...webhook, id } : webhook };
}
