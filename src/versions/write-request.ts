import { isValidOpen } from "../protocol/is-valid-open.js";
import { modelGuard } from "../protocol/model-guard.js";
import { type OperationName, type OperationTypes, operation } from "../protocol/operations.js";
import type { ClientCodec } from "./client-codec.js";
import { contractFault } from "./contract-fault.js";

/** Writers of requests in a version, by operation. Requests of other operations are written unchanged. */
export type RequestEncoders = {
  readonly [Name in OperationName]?: (request: OperationTypes[Name]["request"]) => object;
};

/**
 * Creates a writer of requests. It validates every request against the model before it writes it, and throws a ContractFault that names the
 * first invalid member.
 */
export function requestWriter(encoders: RequestEncoders): ClientCodec["encodeRequest"] {
  return (name, request) => {
    const { request: type } = operation(name);
    const isRequest = modelGuard<typeof request>(type);
    if (!isValidOpen(isRequest, type, request)) throw contractFault(isRequest.errors);
    return encoders[name]?.(request) ?? request;
  };
}
