import { operations, protocolVersion } from "../../../generated/v1.0/operations.js";
import { writeJson } from "../../json/json-text.js";
import type { A2AError } from "../../protocol/errors.js";
import type { StreamResponse } from "../../protocol/model.js";
import type { Operation } from "../../protocol/operations.js";
import {
  type Codec,
  type ErrorBody,
  errorDetails,
  type HttpStatus,
  type ResponseEncoders,
  type WireRoute,
} from "../codec.js";
import { EventTexts } from "../events.js";
import { decisions } from "./decisions.js";
import { decodeRequest } from "./decode.js";
import { messages } from "./fields.js";
import { service } from "./grpc.js";

/** An error in JSON-RPC (§9.5). */
function encodeError(error: A2AError): ErrorBody {
  return { code: error.jsonRpcCode, message: error.message, data: errorDetails(error) };
}

/** An error in HTTP+JSON (§11.6). */
function encodeHttpError(error: A2AError, status?: HttpStatus): object {
  const { code, name } = status ?? { code: error.httpStatus, name: error.status };
  return { error: { code, status: name, message: error.message, details: errorDetails(error) } };
}

/** Responses that differ from the model. All others are already in the shape of this version. */
const encoders: ResponseEncoders = {
  // Neither member is required, but both are always written (proto ListTaskPushNotificationConfigsResponse).
  ListTaskPushNotificationConfigs: ({ configs = [], nextPageToken = "" }) => ({ configs, nextPageToken }),
  // Each binding has its own form of an empty response (§3.1.10).
  DeleteTaskPushNotificationConfig: () => null,
};

/** The response of an operation as a JSON value. */
const encodeResponse: Codec["encodeResponse"] = (name, response, request) => {
  const encode = encoders[name];
  return encode === undefined ? response : encode(response, request);
};

const texts = new EventTexts();

/** An event of a stream as JSON on one line. Updates are serialised once for all readers. */
function encodeEvent(event: StreamResponse): string {
  return texts.get(event, writeJson);
}

/** The server side of protocol 1.0. Its shapes are those of the model, so a canonical request passes through unchanged. */
export const codec: Codec & { readonly version: typeof protocolVersion } = {
  version: protocolVersion,
  decisions,
  answersTo: [],
  methods: new Map<string, Operation>(operations.map((row) => [row.method, row])),
  routes: operations.flatMap((row) =>
    row.http.map((route): WireRoute => ({ ...route, operation: row, fields: messages[row.request] })),
  ),
  // Events of the model are already in the shape of this version.
  grpc: { ...service, eventEncoder: () => (event) => event },
  conventions: {
    extensionsHeader: "A2A-Extensions",
    mediaType: undefined,
    wholeLists: false,
    settledStreams: false,
    streamedErrors: false,
  },
  notification: { mediaType: "application/a2a+json", ofTask: false, encode: encodeEvent },
  decodeRequest,
  encodeResponse,
  eventWriter: () => encodeEvent,
  encodeError,
  encodeHttpError,
  httpStatusOf: ({ httpStatus }) => httpStatus,
  cardPaths: ["/.well-known/agent-card.json"],
  encodeCard: (card) => card,
};
