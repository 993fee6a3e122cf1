import type { ClientCodec } from "../client-codec.js";
import { callCodec } from "./call-codec.js";
import { decodeEvent, decodeResponse, encodeRequest, overGrpc } from "./decode-response.js";
import { service } from "./grpc.js";

/** The client side of protocol 1.0. */
export const clientCodec: ClientCodec = {
  ...callCodec,
  grpc: service,
  encodeRequest,
  decodeResponse,
  decodeEvent,
  forBinding: (binding) => (binding === "GRPC" ? grpc : clientCodec),
};

const grpc: ClientCodec = { ...clientCodec, ...overGrpc };
