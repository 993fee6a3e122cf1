import { writeJson } from "../../../json/json-text.js";
import type { A2AError } from "../../../protocol/errors.js";
import { errors } from "../../../protocol/errors.js";
import type { Codec } from "../../../versions/codec.js";
import type { BodyReply } from "../../host.js";
import type { ChosenRequest, RefusedRequest } from "../../operation-request.js";
import type { Binding } from "../binding.js";
import { errorFrame, framesOf, streamHeaders } from "../frames.js";
import { JSON_TYPE } from "../media-type.js";
import { errorHeaders, printList, textReply, withHeaders } from "../reply.js";
import { JsonRpcRequest, type RequestId } from "./parse.js";

const jsonHeaders = Object.freeze({ "Content-Type": JSON_TYPE });

/** The JSON-RPC binding (§9). */
export const jsonRpc: Binding = {
  accept: (host, agent) => new JsonRpcRequest(host, agent),

  printAnswer({ value, size }, request: ChosenRequest & JsonRpcRequest) {
    const { id } = request;
    const { room } = request.host;
    const headers = withHeaders(jsonHeaders, request.headers);
    if (size === undefined) return textReply(writeJson({ jsonrpc: "2.0", id, result: value }), headers, room);
    const before = `{"jsonrpc":"2.0","id":${writeJson(id)},"result":`;
    return printList(value, { before, after: "}", size, headers, room });
  },

  /** Each frame contains a JSON-RPC response with the id of the request (§9.4.2), which some versions leave out. */
  printStream(stream, request: ChosenRequest & JsonRpcRequest) {
    const { codec, operation, id, headers } = request;
    const idMember = codec.conventions.framesWithoutId ? "" : `"id":${JSON.stringify(id)},`;
    const opening = `{"jsonrpc":"2.0",${idMember}"result":`;
    const write = codec.eventWriter(operation.name);
    const frames = framesOf(stream, request, {
      event: (event) => `${opening}${write(event)}}`,
      error: (error) => errorText(error, id, codec),
    });
    return { status: 200, headers: withHeaders(streamHeaders, headers), frames };
  },

  /** Unless the request sets the HTTP status, it is 200 for errors of the operation, and another one for errors of the transport (§9.5). */
  printError(error, request: RefusedRequest & JsonRpcRequest): BodyReply {
    const { id, codec, operation } = request;
    const status = request.status?.code ?? errors[error.code].jsonRpcHttpStatus;
    const text = errorText(error, id, codec);
    if (operation?.streaming && codec.conventions.streamedErrors && status === 200) {
      return { status, headers: withHeaders(streamHeaders, request.headers), body: errorFrame(text) };
    }
    const headers = { ...jsonHeaders, ...errorHeaders(error), ...request.headers };
    return { status, headers, body: text };
  },
};

/** A JSON-RPC error response, as JSON text (§9.5). */
function errorText(error: A2AError, id: RequestId, codec: Codec): string {
  return writeJson({ jsonrpc: "2.0", id, error: codec.encodeError(error) });
}
