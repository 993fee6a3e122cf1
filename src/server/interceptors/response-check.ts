import { describeFault } from "../../json/violation.js";
import { A2AError } from "../../protocol/errors.js";
import { isValidRelayed } from "../../protocol/is-valid-open.js";
import {
  isStreamResponse,
  type Received,
  responseGuards,
  type StreamResponse,
  type ValidationError,
} from "../../protocol/model.js";
import { operation as rowOf } from "../../protocol/operations.js";
import type { Interceptor } from "./interceptor.js";

/**
 * Checks the results of a handler that the application wrote: a response and each event must be valid by the schema, and the first event of
 * a stream must be a task or a message (§3.1.2). The engine checks what executors yield, so its results are not checked again.
 *
 * An invalid result fails the operation with INVALID_AGENT_RESPONSE, with the fault as `cause`.
 */
export const responseCheck: Interceptor = async ({ operation }, proceed) => {
  const answer = await proceed();
  if ("events" in answer) return { events: checkedEvents(answer.events) };
  const isResponse = responseGuards[operation];
  const { response } = rowOf(operation);
  if (isResponse === null || response === null) return { response: null };
  if (!isValidRelayed<unknown>(isResponse, response, answer.response)) throw invalid(isResponse.errors);
  return answer;
};

async function* checkedEvents(
  events: AsyncIterable<Received<StreamResponse>>,
): AsyncGenerator<Received<StreamResponse>> {
  let opened = false;
  for await (const event of events) {
    if (!isValidRelayed<unknown>(isStreamResponse, "StreamResponse", event))
      throw invalid(isStreamResponse.errors);
    if (!opened && event.task === undefined && event.message === undefined) {
      throw new A2AError("INVALID_AGENT_RESPONSE", undefined, {
        cause: new TypeError("A stream opens with a task or a message"),
      });
    }
    opened = true;
    yield event;
  }
}

function invalid(errors: readonly ValidationError[] | null | undefined): A2AError {
  return new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause: new TypeError(describeFault(errors)) });
}
