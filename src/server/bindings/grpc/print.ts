import { FIRST_EVENT_ID } from "../../../grpc/service.js";
import type { A2AError } from "../../../protocol/errors.js";
import { generationOf } from "../../../task-log/log.js";
import type { MessageReply } from "../../host.js";
import type { Binding } from "../binding.js";
import { errorHeaders, withHeaders } from "../reply.js";
import { EventMessages } from "./event-messages.js";
import { GrpcRequest } from "./parse.js";

/** An empty response is a message without members. */
const empty = {};

/**
 * The gRPC binding (§10). Its replies contain ProtoJSON values and A2AErrors. The host, which has the gRPC library, converts these to
 * messages and statuses, and the headers to metadata.
 */
export const grpc: Binding<object> = {
  accept: (host, agent) => new GrpcRequest(host, agent),

  printAnswer({ value }, { headers }): MessageReply {
    return { status: 200, headers, body: null, message: value ?? empty };
  },

  printStream(stream, { codec, operation, headers, host }) {
    // Events that a version adds to close a stream have no generation, so its events cannot be numbered consecutively.
    const isNumbered = codec.closingEvent === undefined;
    const generation = isNumbered && stream.first ? generationOf(stream.first) : undefined;
    const first = generation === undefined ? {} : { [FIRST_EVENT_ID]: String(generation) };
    const frames = new EventMessages(stream, {
      encode: codec.grpc?.eventEncoder(operation.name) ?? ((event) => event),
      isLast: (event) => codec.isLast?.(operation.name, event) ?? false,
      closing: (event) => codec.closingEvent?.(operation.name, event),
      room: host.room,
    });
    return { status: 200, headers: withHeaders(first, headers), frames };
  },

  printError(error, { headers }): MessageReply {
    return errorMessage(error, headers);
  },
};

/** The reply for an error. Headers of HTTP become metadata. */
function errorMessage(error: A2AError, headers: Readonly<Record<string, string>>): MessageReply {
  return {
    status: error.httpStatus,
    headers: { ...errorHeaders(error), ...headers },
    body: null,
    message: error,
  };
}
