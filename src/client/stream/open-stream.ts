import type { Received, SendMessageRequest, StreamResponse } from "../../protocol/model.js";
import type { OperationTypes, StreamingOperationName } from "../../protocol/operations.js";
import type { Caller } from "../caller.js";
import { isAbsent } from "../connection-error.js";
import type { CallOptions } from "../options.js";

/** The call that begins a stream. */
export interface StreamCall<Name extends StreamingOperationName> {
  readonly name: Name;
  readonly request: OperationTypes[Name]["request"];
  readonly options: CallOptions;
}

/**
 * Opens a stream. If the agent does not stream (see {@link isAbsent}), a send becomes a plain one whose result is the only event, provided
 * that `fallback` is true (§5.2). The plain send is made when the events are read.
 * @throws the error of the call, if it cannot be replaced by a plain send
 */
export async function openTaskStream<Name extends StreamingOperationName>(
  caller: Caller,
  { name, request, options }: StreamCall<Name>,
): Promise<AsyncIterable<Received<StreamResponse>>> {
  try {
    return await caller.open(name, request, options);
  } catch (error) {
    if (options.fallback !== true || !("message" in request) || !isAbsent(error)) throw error;
    return once(caller, request, options);
  }
}

async function* once(
  caller: Caller,
  request: SendMessageRequest,
  options: CallOptions,
): AsyncGenerator<Received<StreamResponse>> {
  const { task, message } = await caller.unary("SendMessage", request, options);
  yield task === undefined ? { message } : { task };
}
