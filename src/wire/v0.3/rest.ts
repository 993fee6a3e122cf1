import type { StreamResponse } from "../../model.js";
import type { OperationName } from "../../operations.js";
import type { Codec } from "../codec.js";
import { EventTexts } from "../event-texts.js";
import { isJsonObject, writeJson } from "../json-text.js";
import { isProto, listToProto, requestFromProto, valueToProto } from "./proto-dialect.js";
import { encodeEvent } from "./tasks.js";

/** One of the two ways in which HTTP+JSON is spoken in this version. */
interface Dialect {
  /** A request in the shapes of JSON-RPC. */
  read(value: unknown): unknown;
  /** What JSON-RPC would answer, in the shapes of the dialect. */
  write(value: unknown): unknown;
  writeList(list: readonly unknown[]): unknown;
}

const text: Dialect = { read: (value) => value, write: (value) => value, writeList: (list) => list };
const proto: Dialect = { read: requestFromProto, write: valueToProto, writeList: listToProto };

/**
 * The codecs of HTTP+JSON: one with the shapes of JSON-RPC, and one with those of the protocol buffers, which is what peers run.
 * Answers are written as the request was, and in the second way when it does not tell.
 */
export function restCodecs(codec: Codec): (value: unknown) => Codec {
  const texts = speaking(codec, text);
  const protos = speaking(codec, proto);
  return (value) => (isProto(value) ? protos : texts);
}

function speaking(codec: Codec, { read, write, writeList }: Dialect): Codec {
  const texts = { SendStreamingMessage: new EventTexts(), SubscribeToTask: new EventTexts() };
  const envelope = (value: unknown): unknown => {
    if (Array.isArray(value)) return writeList(value.map(write));
    const member = isJsonObject(value) ? members[String(value.kind)] : undefined;
    return member === undefined ? write(value) : { [member]: write(value) };
  };
  return {
    ...codec,
    decodeRequest: (name, value) => codec.decodeRequest(name, unfolded(name, read(value))),
    encodeResponse: (name, response, request) => {
      const value = codec.encodeResponse(name, response, request);
      return ENVELOPED.has(name) || Array.isArray(value) ? envelope(value) : write(value);
    },
    eventWriter: (name) => {
      const stream = name === "SubscribeToTask" ? name : "SendStreamingMessage";
      const write = (event: StreamResponse) => writeJson(envelope(encodeEvent(event, stream)));
      return (event) => texts[stream].get(event, write);
    },
  };
}

/** Operations whose answers say by a member around them what they are. */
const ENVELOPED: ReadonlySet<OperationName> = new Set<OperationName>(["SendMessage"]);

const members: Readonly<Record<string, string>> = {
  task: "task",
  message: "message",
  "status-update": "statusUpdate",
  "artifact-update": "artifactUpdate",
};

/** The path names the task; a webhook may be wrapped once more. */
function unfolded(name: OperationName, value: unknown): unknown {
  if (name !== "CreateTaskPushNotificationConfig" || !isJsonObject(value)) return value;
  const config = isJsonObject(value.config) ? value.config : value;
  return { pushNotificationConfig: config.pushNotificationConfig, taskId: value.id };
}
