import { isValidOpen } from "../protocol/is-valid-open.js";
import { type OperationName, type OperationTypes, operation } from "../protocol/operations.js";
import type { ClientCodec } from "./client-codec.js";
import { ContractFault } from "./version.js";

/** What a version writes otherwise than the model has it, by operation. */
export type RequestEncoders = {
  readonly [Name in OperationName]?: (request: OperationTypes[Name]["request"]) => object;
};

/** Writes requests of one version; all are seen to be right in terms of the model before they leave. */
export function requestWriter(encoders: RequestEncoders): ClientCodec["encodeRequest"] {
  return (name, request) => {
    const { isRequest, request: type } = operation(name);
    if (!isValidOpen<typeof request>(isRequest, type, request)) throw ContractFault.of(isRequest.errors);
    return encoders[name]?.(request) ?? request;
  };
}
