import { describeFault } from "../../json/violation.js";
import type { CallContext } from "../../protocol/call-context.js";
import { A2AError } from "../../protocol/errors.js";
import { isValidRelayed } from "../../protocol/is-valid-open.js";
import { isStreamResponse, type StreamResponse, type ValidationError } from "../../protocol/model.js";
import {
  type A2AHandler,
  type HandlerMethod,
  handlerMethod,
  type Operation,
  operations,
} from "../../protocol/operations.js";

type AnyMethod = (request: unknown, call: CallContext) => unknown;

/**
 * Puts a check behind a handler that was written by hand: what it answers leaves only when it is valid by the schema, and a
 * stream opens with a task or a message (OP-STREAM-04). An engine checks what executors yield and needs no second check.
 *
 * Every method of the result fails with INVALID_AGENT_RESPONSE, with the fault as `cause`, when an answer breaks the contract.
 */
export function checked(handler: A2AHandler<CallContext>): A2AHandler<CallContext> {
  const methods = handler as Record<HandlerMethod, AnyMethod>;
  const wrapped = operations.map((row): [HandlerMethod, AnyMethod] => {
    const name = handlerMethod(row);
    const method: AnyMethod = (request, call) => methods[name](request, call);
    return [name, row.streaming ? checkedStream(method) : checkedAnswer(method, row)];
  });
  return Object.fromEntries(wrapped) as Record<HandlerMethod, AnyMethod> as A2AHandler<CallContext>;
}

function checkedAnswer(method: AnyMethod, { isResponse, response }: Operation): AnyMethod {
  return async (request, call) => {
    const answer = await method(request, call);
    if (isResponse === null || response === null) return null;
    if (!isValidRelayed<unknown>(isResponse, response, answer)) throw invalid(isResponse.errors);
    return answer;
  };
}

function checkedStream(method: AnyMethod): AnyMethod {
  return async function* (request, call) {
    let opened = false;
    for await (const event of method(request, call) as AsyncIterable<StreamResponse>) {
      if (!isValidRelayed(isStreamResponse, "StreamResponse", event)) throw invalid(isStreamResponse.errors);
      if (!opened && event.task === undefined && event.message === undefined) {
        throw new A2AError("INVALID_AGENT_RESPONSE", undefined, {
          cause: new TypeError("A stream opens with a task or a message"),
        });
      }
      opened = true;
      yield event;
    }
  };
}

function invalid(errors: readonly ValidationError[] | null | undefined): A2AError {
  return new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause: new TypeError(describeFault(errors)) });
}
