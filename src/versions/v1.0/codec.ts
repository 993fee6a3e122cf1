import { messages } from "../../../generated/v1.0/fields.js";
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
import { decodeRequest } from "./decode.js";

/** An error as JSON-RPC carries it (§9.5). */
function encodeError(error: A2AError): ErrorBody {
  return { code: error.jsonRpcCode, message: error.message, data: errorDetails(error) };
}

/** An error as HTTP+JSON carries it (§11.6). */
function encodeHttpError(error: A2AError, status?: HttpStatus): object {
  const { code, name } = status ?? { code: error.httpStatus, name: error.status };
  return { error: { code, status: name, message: error.message, details: errorDetails(error) } };
}

/** Where the wire says more than the model holds. All other responses are their own wire form: it is the newest version's. */
const encoders: ResponseEncoders = {
  // Neither member is marked required, yet a writer always sends both (proto ListTaskPushNotificationConfigsResponse).
  ListTaskPushNotificationConfigs: ({ configs = [], nextPageToken = "" }) => ({ configs, nextPageToken }),
  // The form of an empty answer is the binding's (§3.1.10).
  DeleteTaskPushNotificationConfig: () => null,
};

/** The response of an operation as a JSON value. */
const encodeResponse: Codec["encodeResponse"] = (name, response, request) => {
  const encode = encoders[name];
  return encode === undefined ? response : encode(response, request);
};

const texts = new EventTexts();

/** One event of a stream as JSON on one line. Updates are written once however many readers they have. */
function encodeEvent(event: StreamResponse): string {
  return texts.get(event, writeJson);
}

/** The wire of protocol 1.0. Its shapes are those of the canonical model, so a canonical request passes through untouched. */
export const codec: Codec = {
  version: protocolVersion,
  answersTo: [],
  methods: new Map<string, Operation>(operations.map((row) => [row.method, row])),
  routes: operations.flatMap((row) =>
    row.http.map((route): WireRoute => ({ ...route, operation: row, fields: messages[row.request] })),
  ),
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
