import { operations, protocolVersion } from "../../../generated/v0.3/operations.js";
import type { OperationName } from "../../operations.js";
import type { ClientCodec, WireCall } from "../client-codec.js";
import { decodeEvent, decodeResponse, isLast } from "./decode-response.js";
import { encodeProtoRequest, encodeRequest } from "./encode-request.js";

/** The wire of protocol 0.3 from the caller's side. */
export const clientCodec: ClientCodec = {
  version: protocolVersion,
  customs: {
    extensionsHeader: "X-A2A-Extensions",
    mediaType: "application/json",
    tenants: false,
  },
  calls: new Map<OperationName, WireCall>(operations.map((row) => [row.name, row])),
  encodeRequest,
  decodeResponse,
  decodeEvent,
  isLast,
  forBinding: (binding) => (binding === "HTTP+JSON" ? httpJson : clientCodec),
};

/** On HTTP+JSON, where alone this version has a list of tasks. */
const list: WireCall = { method: "", http: [{ verb: "GET", path: "/v1/tasks" }], optional: true };

const CREATE = "CreateTaskPushNotificationConfig";
/** Some agents read the request of the protocol buffers, and may refuse what it does not have; others read the config in it. */
const create: WireCall = { method: "", http: clientCodec.calls.get(CREATE)?.http ?? [], inner: "config" };

/** Over HTTP+JSON peers read the shapes of the protocol buffers. */
const httpJson: ClientCodec = {
  ...clientCodec,
  calls: new Map([...clientCodec.calls, ["ListTasks", list], [CREATE, create]]),
  encodeRequest: encodeProtoRequest,
};

/** Agents of 0.2 had no method for the extended card, but a place. */
const extendedCard: WireCall = {
  method: "agent/getAuthenticatedExtendedCard",
  http: [],
  path: "agent/authenticatedExtendedCard",
};

/** The wire of protocol 0.2, a part of this version, from the caller's side. */
export const olderClientCodec: ClientCodec = {
  ...clientCodec,
  version: "0.2",
  calls: new Map([...clientCodec.calls, ["GetExtendedAgentCard", extendedCard]]),
  encodeRequest: (name, request) => withModes(encodeRequest(name, request)),
  forBinding: (binding) => (binding === "HTTP+JSON" ? httpJson : olderClientCodec),
};

/** Most agents of 0.2 take no settings without media types; to all of them an empty list says nothing. */
function withModes(request: { readonly configuration?: object }): object {
  const { configuration } = request;
  if (configuration === undefined) return request;
  return { ...request, configuration: { acceptedOutputModes: [], ...configuration } };
}
