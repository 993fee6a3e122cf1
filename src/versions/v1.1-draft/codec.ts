import { requestGuards } from "../../../generated/v1.1-draft/guards.js";
import { operations, protocolVersion } from "../../../generated/v1.1-draft/operations.js";
import { requestReader } from "../v1.0/decode.js";
import { serverCodec } from "../v1.0/server-codec.js";
import { decisions } from "./decisions.js";
import { enums, messages } from "./fields.js";
import { service } from "./grpc.js";

/** The server side of protocol 1.1-draft. */
export const codec = serverCodec({
  version: protocolVersion,
  ...{ decisions, operations, messages, service },
  decodeRequest: requestReader({ operations, requestGuards, messages, enums }),
});
