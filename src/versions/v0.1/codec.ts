import { operations, protocolVersion } from "../../../generated/v0.1/operations.js";
import { type Operation, operation } from "../../protocol/operations.js";
import type { Codec, Conventions } from "../codec.js";
import { decodeRequest } from "./decode.js";
import { encodeError, shape } from "./encode.js";
import { encodeCard } from "./encode-card.js";
import { encoderOf } from "./encoder.js";

/** Operations by JSON-RPC method. A task has at most one webhook in 0.1, so reading it is treated as listing webhooks. */
const methods = new Map<string, Operation>([
  ...operations.map(({ method, name }): [string, Operation] => [method, operation(name)]),
  ["tasks/pushNotification/get", operation("ListTaskPushNotificationConfigs")],
]);

const conventions: Conventions = {
  extensionsHeader: "A2A-Extensions",
  mediaType: "application/json",
  wholeLists: true,
  streamsEndedTasks: true,
  streamedErrors: false,
  clientTaskIds: true,
  tasksOnly: true,
  requestMetadata: true,
};

/** The server side of the first draft, over JSON-RPC only. Its callers name 0.1, 0.3 or no version or, if the flat dialect is served, 1.0. */
export const codec: Codec = {
  version: protocolVersion,
  answersTo: ["0.3"],
  methods,
  routes: [],
  conventions,
  ...encoderOf(shape),
  decodeRequest,
  encodeError,
  encodeHttpError: (error) => ({ error: encodeError(error) }),
  httpStatusOf: ({ httpStatus }) => httpStatus,
  cardPaths: ["/.well-known/agent.json"],
  encodeCard,
};
