import { messages } from "../../../generated/v1.0/fields.js";
import { operations, protocolVersion } from "../../../generated/v1.0/operations.js";
import type { Operation } from "../../operations.js";
import type { Codec, WireRoute } from "../codec.js";
import { decodeRequest } from "./decode.js";
import { encodeEvent, encodeResponse } from "./encode.js";
import { encodeError, encodeHttpError } from "./encode-error.js";

/** The wire of protocol 1.0. Its shapes are those of the canonical model, so a canonical request passes through untouched. */
export const codec: Codec = {
  version: protocolVersion,
  answersTo: [],
  methods: new Map<string, Operation>(operations.map((row) => [row.method, row])),
  routes: operations.flatMap((row) =>
    row.http.map((route): WireRoute => ({ ...route, operation: row, fields: messages[row.request] })),
  ),
  customs: {
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
