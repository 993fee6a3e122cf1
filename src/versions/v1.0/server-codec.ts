import { writeJson } from "../../json/json-text.js";
import type { A2AError } from "../../protocol/errors.js";
import { eventWithGeneration } from "../../protocol/generations.js";
import type { StreamResponse } from "../../protocol/model.js";
import { type Operation, type OperationName, operation } from "../../protocol/operations.js";
import { generationOf } from "../../task-log/log.js";
import {
  type Codec,
  type ErrorBody,
  errorDetails,
  type HttpStatus,
  type ResponseEncoders,
  type WireRoute,
} from "../codec.js";
import type { DecisionTable } from "../decisions.js";
import { EventTexts } from "../events.js";
import type { GrpcService } from "../grpc-service.js";
import { hasGenerations } from "../version.js";

/** An error in JSON-RPC (§9.5). */
function encodeError(error: A2AError): ErrorBody {
  return { code: error.jsonRpcCode, message: error.message, data: errorDetails(error) };
}

/** An error in HTTP+JSON (§11.6). */
function encodeHttpError(error: A2AError, status?: HttpStatus): object {
  const { code, name } = status ?? { code: error.httpStatus, name: error.status };
  return { error: { code, status: name, message: error.message, details: errorDetails(error) } };
}

/** Writers of the responses that differ from the model. All others are written unchanged. */
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

/** An event with its generation. An event that has none, such as a plain message, is returned unchanged. */
const withOwnGeneration = (event: StreamResponse) => eventWithGeneration(event, generationOf(event));

/** The tables of a version with the same major number as the model. */
interface VersionTables<Version extends string> extends Pick<Codec, "decodeRequest"> {
  readonly version: Version;
  readonly decisions: DecisionTable;
  readonly operations: readonly {
    readonly name: OperationName;
    readonly method: string;
    readonly request: string;
    readonly http: Operation["http"];
  }[];
  /** Members by message. A message that only a later version has is missing. */
  readonly messages: { readonly Task: WireRoute["fields"] } & Readonly<
    Partial<Record<string, WireRoute["fields"]>>
  >;
  readonly service: GrpcService;
}

/**
 * Creates the server side of a version whose shapes are those of the model, so that a canonical request passes through unchanged. If its
 * tasks have generations, events from a log get theirs when they are written.
 */
export function serverCodec<Version extends string>(
  tables: VersionTables<Version>,
): Codec & { readonly version: Version } {
  const { version, decisions, operations, messages, service, decodeRequest } = tables;
  const generations = hasGenerations(messages.Task);
  const texts = new EventTexts();
  const write = generations ? (event: StreamResponse) => writeJson(withOwnGeneration(event)) : writeJson;

  /** An event as JSON on one line, cached as {@link EventTexts} describes. */
  const encodeEvent = (event: StreamResponse): string => texts.get(event, write);

  return {
    version,
    decisions,
    answersTo: [],
    methods: new Map(operations.map(({ method, name }) => [method, operation(name)])),
    routes: operations.flatMap(({ name, http, request }) =>
      http.map(
        (route): WireRoute => ({ ...route, operation: operation(name), fields: messages[request] ?? [] }),
      ),
    ),
    grpc: { ...service, eventEncoder: () => (generations ? withOwnGeneration : (event) => event) },
    conventions: {
      extensionsHeader: "A2A-Extensions",
      mediaType: undefined,
      wholeLists: false,
      streamsEndedTasks: false,
      streamedErrors: false,
      generations,
    },
    notification: { mediaType: "application/a2a+json", needsTask: false, encode: encodeEvent },
    decodeRequest,
    encodeResponse,
    eventWriter: () => encodeEvent,
    encodeError,
    encodeHttpError,
    httpStatusOf: ({ httpStatus }) => httpStatus,
    cardPaths: ["/.well-known/agent-card.json"],
    encodeCard: (card) => card,
  };
}
