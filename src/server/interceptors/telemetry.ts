import type { Observer } from "../../observability/observer.js";
import { type Attributes, type Span, spanName, type Telemetry } from "../../observability/telemetry.js";
import { A2AError } from "../../protocol/errors.js";
import type { Received, StreamResponse } from "../../protocol/model.js";
import type { Interceptor, OperationCall } from "./interceptor.js";

/** Maximum length of a caller's text in an attribute. */
const MAX_TEXT = 128;

/**
 * Wraps every operation in a span that lasts to the end of its stream, and records its duration. Work that the
 * operation causes belongs to the span: the handler sees the span's trace context as that of the call.
 *
 * @param observer told of each error of an operation, so that it is not reported twice
 */
export function tracing(telemetry: Telemetry, observer: Observer): Interceptor {
  return async (operation, proceed) => {
    const attributes = attributesOf(operation, observer.nameOf(operation.agent));
    const parent = operation.call.trace;
    const span = telemetry.begin(spanName(operation.operation), { kind: "server", parent, attributes });
    const start = performance.now();
    const ended = (thrown?: unknown) => {
      if (typeof thrown === "object" && thrown !== null) observer.reported(thrown);
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
      return { events: new TracedStream(answer.events, span, ended) };
    } catch (thrown) {
      ended(thrown);
      throw thrown;
    }
  };
}

function attributesOf({ operation, request, call }: OperationCall, agent: string): Attributes {
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

/** A stream that requests its events within a span and reports its end, even when the reader leaves while waiting. */
export class TracedStream implements AsyncIterableIterator<Received<StreamResponse>> {
  readonly #events: AsyncIterator<Received<StreamResponse>>;
  readonly #span: Pick<Span, "run">;
  readonly #ended: (thrown?: unknown) => void;
  #over = false;

  constructor(
    events: AsyncIterable<Received<StreamResponse>>,
    span: Pick<Span, "run">,
    ended: (thrown?: unknown) => void,
  ) {
    this.#events = events[Symbol.asyncIterator]();
    this.#span = span;
    this.#ended = ended;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Received<StreamResponse>>> {
    try {
      return Promise.resolve(this.#span.run(() => this.#events.next())).then(this.#passed, this.#failed);
    } catch (thrown) {
      this.#end(thrown);
      return Promise.reject(thrown);
    }
  }

  readonly #passed = (
    result: IteratorResult<Received<StreamResponse>>,
  ): IteratorResult<Received<StreamResponse>> => {
    if (result.done) this.#end();
    return result;
  };

  readonly #failed = (thrown: unknown): never => {
    this.#end(thrown);
    throw thrown;
  };

  async return(): Promise<IteratorResult<Received<StreamResponse>>> {
    this.#end();
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  #end(thrown?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#ended(thrown);
  }
}
