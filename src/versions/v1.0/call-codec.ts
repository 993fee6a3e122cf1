import {
  type OperationName,
  type OperationTypes,
  operations,
  protocolVersion,
} from "../../../generated/v1.0/operations.js";
import type { StreamResponse } from "../../protocol/model.js";
import { modelGuard } from "../../protocol/model-guard.js";
import { operation } from "../../protocol/operations.js";
import type { CallCodec, WireCall } from "../client-codec.js";

const isStreamResponse = modelGuard<StreamResponse>("StreamResponse");

/** Whether a response can be returned unchanged. A list of webhooks cannot: its members are optional, and absent ones are read as empty. */
function isCanonical<Name extends OperationName>(
  name: Name,
  value: unknown,
): value is OperationTypes[Name]["received"] {
  const { response: type } = operation(name);
  return type !== null && name !== "ListTaskPushNotificationConfigs" && modelGuard(type)(value);
}

/** The module that reads and writes all values, canonical or not. */
type Translator = typeof import("./decode-response.js");

let translator: Translator | undefined;

async function loadTranslator(): Promise<Translator> {
  translator = await import("./decode-response.js");
  return translator;
}

/**
 * The codec with which a client calls protocol 1.0. Most canonical values need no translation. The module that translates all others is
 * imported when it is first needed, over gRPC from the start, and then used for every value.
 */
export const callCodec: CallCodec & { readonly version: typeof protocolVersion } = {
  version: protocolVersion,
  conventions: {
    extensionsHeader: "A2A-Extensions",
    mediaType: "application/a2a+json",
    tenants: true,
    snapshotFirst: true,
    keepsContexts: true,
  },
  calls: new Map<OperationName, WireCall>(operations.map((row) => [row.name, row])),
  // Requests of the model are already in the shape of this version.
  encodeRequest: (name, request) => {
    if (translator !== undefined) return translator.encodeRequest(name, request);
    if (modelGuard(operation(name).request)(request)) return request;
    return loadTranslator().then((loaded) => loaded.encodeRequest(name, request));
  },
  decodeResponse: (name, value, reading) => {
    if (translator !== undefined) return translator.decodeResponse(name, value, reading);
    if (isCanonical(name, value)) return value;
    return loadTranslator().then((loaded) => loaded.decodeResponse(name, value, reading));
  },
  decodeEvent: (value, tolerate) => {
    if (translator !== undefined) return translator.decodeEvent(value, tolerate);
    if (isStreamResponse(value)) return value;
    return loadTranslator().then((loaded) => loaded.decodeEvent(value, tolerate));
  },
  forBinding: (binding) =>
    binding === "GRPC"
      ? loadTranslator().then((loaded) => ({ ...callCodec, ...loaded.overGrpc }))
      : callCodec,
};
