import { type OperationName, operations, protocolVersion } from "../../../generated/v1.0/operations.js";
import type { ClientCodec, WireCall } from "../client-codec.js";
import { requestWriter } from "../write-request.js";
import { decodeEvent, decodeResponse } from "./decode-response.js";

/** The wire of protocol 1.0 from the caller's side. */
export const clientCodec: ClientCodec = {
  version: protocolVersion,
  customs: {
    extensionsHeader: "A2A-Extensions",
    mediaType: "application/a2a+json",
    tenants: true,
    snapshotFirst: true,
    keepsContexts: true,
  },
  calls: new Map<OperationName, WireCall>(operations.map((row) => [row.name, row])),
  // A request of the model is its own wire form.
  encodeRequest: requestWriter({}),
  decodeResponse: (name, value, reading) => decodeResponse(name, value, reading?.tolerate),
  decodeEvent,
};
