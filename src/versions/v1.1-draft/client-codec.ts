import { protocolVersion } from "../../../generated/v1.1-draft/operations.js";
import type { ClientCodec } from "../client-codec.js";
import { clientCodec as released } from "../v1.0/client-codec.js";
import { responseReader } from "../v1.0/decode-response.js";
import { ContractFault } from "../version.js";
import { enums, messages } from "./fields.js";
import { service } from "./grpc.js";

/** A request with the members that the model lacks. */
interface DraftRequest {
  readonly currentGeneration?: unknown;
  readonly configuration?: { readonly ifGenerationMatch?: unknown };
}

/**
 * Writes a request as the released version does, with the members that the draft adds. Their numbers become strings; only
 * `ifGenerationMatch` is validated.
 */
const encodeRequest: ClientCodec["encodeRequest"] = (name, request) => {
  const { currentGeneration, configuration, ...rest } = request as DraftRequest;
  const { ifGenerationMatch, ...settings } = configuration ?? {};
  if (ifGenerationMatch !== undefined && !/^[1-9]\d*$/.test(String(ifGenerationMatch))) {
    throw new ContractFault(
      "configuration.ifGenerationMatch",
      "must be the generation of a task, which is at least 1",
    );
  }
  const known = { ...rest, ...(configuration !== undefined && { configuration: settings }) };
  return {
    ...released.encodeRequest(name, known as typeof request),
    ...(currentGeneration !== undefined && { currentGeneration: numberAsText(currentGeneration) }),
    ...(ifGenerationMatch !== undefined && {
      configuration: { ...settings, ifGenerationMatch: String(ifGenerationMatch) },
    }),
  };
};

function numberAsText(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value;
}

const reader = responseReader({ messages, enums });

/** The client side of protocol 1.1-draft: that of the released version, with generations. */
export const clientCodec: ClientCodec = {
  ...released,
  version: protocolVersion,
  grpc: service,
  encodeRequest,
  decodeResponse: reader.decodeResponse,
  decodeEvent: reader.decodeEvent,
  forBinding: (binding) => (binding === "GRPC" ? grpc : clientCodec),
};

const grpc: ClientCodec = { ...clientCodec, ...reader.overGrpc(service, encodeRequest) };
