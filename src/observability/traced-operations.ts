import { A2AError } from "../protocol/errors.js";
import type { Interceptor, OperationCall } from "./interceptor.js";
import type { Attributes, Telemetry } from "./telemetry.js";
import { WatchedStream } from "./watched-stream.js";

/** Maximum length of a caller's text in an attribute. */
const MAX_TEXT = 128;

/**
 * Wraps every operation in a span that lasts to the end of its stream, and records its duration. Work that the
 * operation causes belongs to the span: the handler sees the span's trace context as that of the call.
 *
 * @param onFailure called with each error of an operation, so that it is not reported twice
 */
export function tracedOperations(telemetry: Telemetry, onFailure: (thrown: object) => void): Interceptor {
  return async (operation, proceed) => {
    const attributes = attributesOf(operation);
    const parent = operation.call.trace;
    const span = telemetry.begin(spanName(operation.operation), { kind: "server", parent, attributes });
    const start = performance.now();
    const ended = (thrown?: unknown) => {
      if (typeof thrown === "object" && thrown !== null) onFailure(thrown);
      const failure = thrown === undefined ? undefined : A2AError.from(thrown);
      const { "rpc.method": method = "", "a2a.agent": agent = "" } = attributes;
      const facts = { "rpc.method": method, "a2a.agent": agent };
      const seconds = (performance.now() - start) / 1000;
      const outcome = failure === undefined ? facts : { ...facts, "error.type": failure.code };
      telemetry.time("a2a.server.operation.duration", seconds, outcome);
      span.end(failure && { code: failure.code, message: failure.message });
    };
    try {
      const answer = await span.run(() => proceed({ trace: span.trace }));
      if ("response" in answer) {
        ended();
        return answer;
      }
      return { events: new WatchedStream(answer.events, { ended, run: (body) => span.run(body) }) };
    } catch (thrown) {
      ended(thrown);
      throw thrown;
    }
  };
}

/** Name of the span of an operation. */
export function spanName(operation: string): string {
  return `a2a.server ${operation}`;
}

function attributesOf({ operation, agent, request, call }: OperationCall): Attributes {
  const { id, taskId, message } = request as { id?: string; taskId?: string; message?: { taskId?: string } };
  const named = message === undefined ? (taskId ?? id) : message.taskId;
  return {
    "rpc.system": "a2a",
    "rpc.method": operation,
    "a2a.agent": agent,
    "a2a.version": call.version,
    ...(call.tenant !== "" && { "a2a.tenant": call.tenant.slice(0, MAX_TEXT) }),
    ...(named && { "a2a.task.id": named.slice(0, MAX_TEXT) }),
  };
}
