import { operations, protocolVersion } from "../../../generated/v1.0/operations.js";
import { decisions } from "./decisions.js";
import { decodeRequest } from "./decode.js";
import { messages } from "./fields.js";
import { service } from "./grpc.js";
import { serverCodec } from "./server-codec.js";

/** The server side of protocol 1.0. */
export const codec = serverCodec({
  version: protocolVersion,
  ...{ decisions, operations, messages, service, decodeRequest },
});
