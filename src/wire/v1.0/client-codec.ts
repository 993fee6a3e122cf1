import {
  type OperationName,
  type OperationTypes,
  operations,
  protocolVersion,
} from "../../../generated/v1.0/operations.js";
import { holds } from "../../open-check.js";
import { operation } from "../../operations.js";
import type { ClientCodec, WireCall } from "../client-codec.js";
import { ContractFault } from "../contract-fault.js";
import { decodeEvent, decodeResponse } from "./decode-response.js";

/** The wire of protocol 1.0 from the caller's side. */
export const clientCodec: ClientCodec = {
  version: protocolVersion,
  customs: {
    extensionsHeader: "A2A-Extensions",
    mediaType: "application/a2a+json",
    tenants: true,
    snapshotFirst: true,
  },
  calls: new Map<OperationName, WireCall>(operations.map((row) => [row.name, row])),
  encodeRequest,
  decodeResponse: (name, value, reading) => decodeResponse(name, value, reading?.tolerate),
  decodeEvent,
};

/** A request of the model is its own wire form; all there is to do is to see that it is right before it leaves. */
function encodeRequest<Name extends OperationName>(
  name: Name,
  request: OperationTypes[Name]["request"],
): object {
  const { isRequest, request: type } = operation(name);
  if (!holds<OperationTypes[Name]["request"]>(isRequest, type, request))
    throw ContractFault.of(isRequest.errors);
  return request;
}
