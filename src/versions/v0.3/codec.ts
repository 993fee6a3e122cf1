import { errors } from "../../../generated/v0.3/errors.js";
import { operations, protocolVersion } from "../../../generated/v0.3/operations.js";
import { isJsonObject } from "../../json/json-text.js";
import { A2AError } from "../../protocol/errors.js";
import { type ExplicitEntries, withFallbacks } from "../../protocol/fallbacks.js";
import type { TaskPushNotificationConfig } from "../../protocol/model.js";
import { fieldsOf, type Operation, operation } from "../../protocol/operations.js";
import { memberOf } from "../card-interfaces.js";
import { type Codec, type DialectClues, type ErrorBody, errorDetails, type WireRoute } from "../codec.js";
import { decodeRequest } from "./decode.js";
import { proto, rpc } from "./dialect.js";
import { encoderOf } from "./encode.js";
import { encodeCard } from "./encode-card.js";
import { messages } from "./fields.js";
import { readingNames, service } from "./grpc.js";
import { decodeProtoCall, restCodecs } from "./rest.js";

type Row = { readonly jsonRpcCode: number; readonly httpStatus: number };

/** JSON-RPC codes and HTTP statuses of errors of the model that this version does not have. */
const newerErrors: Omit<ExplicitEntries<"ErrorCode", Row>, keyof typeof errors> = {
  EXTENSION_SUPPORT_REQUIRED: { jsonRpcCode: -32600, httpStatus: 400 },
  VERSION_NOT_SUPPORTED: { jsonRpcCode: -32009, httpStatus: 400 },
};

const rows = withFallbacks<"ErrorCode", Row>("ErrorCode", { ...errors, ...newerErrors });

/** Encodes an error. In this version, `data` may be any value. */
export function encodeError(error: A2AError): ErrorBody {
  const { code, message } = error;
  return { code: rows[code].jsonRpcCode, message, data: { details: errorDetails(error) } };
}

/** HTTP status of an error on HTTP+JSON. */
export function httpStatusOf({ code }: A2AError): number {
  return rows[code].httpStatus;
}

/** Routes of HTTP+JSON. In paths, the id of the task is named `task`, because no member of a request has this name. */
const routes = operations.flatMap(({ name, http, request }) =>
  http.map(
    ({ verb, path }): WireRoute => ({
      verb,
      path: path.replace(/\{(?:id|taskId)\}/, "{task}"),
      operation: operation(name),
      fields: messages[request],
      besideBody: name === "CreateTaskPushNotificationConfig" ? ["configId"] : [],
    }),
  ),
);

const list = operation("ListTasks");
const card = operation("GetExtendedAgentCard");

/** Path of the extended card for callers of 0.2, which does not have a method for it. */
const OLD_CARD_PATH = "/agent/authenticatedExtendedCard";

const encoder = encoderOf(rpc, false);
const protoEncoder = encoderOf(proto, true);
const writeEvent = encoder.eventWriter("SubscribeToTask");

/** The server side of protocols 0.3 and 0.2. */
export const codec: Codec = {
  version: protocolVersion,
  answersTo: ["0.2"],
  methods: new Map<string, Operation>(operations.map(({ method, name }) => [method, operation(name)])),
  // Listing tasks has no JSON-RPC method in this version.
  routes: [
    ...routes,
    { verb: "GET", path: "/v1/tasks", operation: list, fields: fieldsOf(list.request) },
    { verb: "GET", path: OLD_CARD_PATH, operation: card, fields: [] },
  ],
  grpc: { ...service, eventEncoder: protoEncoder.eventEncoder },
  conventions: {
    extensionsHeader: "X-A2A-Extensions",
    mediaType: "application/json",
    wholeLists: true,
    streamsEndedTasks: true,
    streamedErrors: true,
    requestMetadata: true,
  },
  notification: {
    mediaType: "application/json",
    needsTask: true,
    // Without the task, which may have been deleted, the event is sent.
    encode: (event, task) => writeEvent(task === undefined ? event : { task }),
  },
  dialectOf,
  decodeRequest,
  ...encoder,
  encodeError,
  encodeHttpError: encodeError,
  httpStatusOf,
  cardPaths: ["/.well-known/agent-card.json", "/.well-known/agent.json"],
  encodeCard,
};

const GET_CONFIG = "tasks/pushNotificationConfig/get";

/** Reads a webhook that the request does not name: the one with the id of the task, or else the first. */
const anyConfig: Codec = {
  ...codec,
  methods: new Map([[GET_CONFIG, operation("ListTaskPushNotificationConfigs")]]),
  encodeResponse: (_name, response, request) => {
    const { configs = [] } = response as { configs?: TaskPushNotificationConfig[] };
    const { taskId } = request as { taskId: string };
    const config = configs.find(({ id }) => id === taskId) ?? configs[0];
    if (config === undefined)
      throw new A2AError("TASK_NOT_FOUND", "The task has no push notification config");
    return rpc.push(config, taskId);
  },
};

const restCodec = restCodecs(codec);
const grpcCodec: Codec = { ...codec, ...protoEncoder, decodeRequest: readingNames(decodeProtoCall) };
const GRPC_PATH = `/${service.service}/`;

function dialectOf({ method, path, value }: DialectClues): Codec {
  if (path?.startsWith(GRPC_PATH)) return grpcCodec;
  if (path === OLD_CARD_PATH) return codec;
  if (method === undefined) return restCodec(value);
  const isUnnamed =
    method === GET_CONFIG && !(isJsonObject(value) && memberOf(value, "pushNotificationConfigId"));
  return isUnnamed ? anyConfig : codec;
}
