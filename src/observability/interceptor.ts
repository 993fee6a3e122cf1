import type { CallContext } from "../protocol/call-context.js";
import type { StreamResponse } from "../protocol/model.js";
import {
  type A2AHandler,
  type HandlerMethod,
  handlerMethod,
  type Operation,
  type OperationName,
  type OperationTypes,
  operations,
} from "../protocol/operations.js";
import { readTrace } from "../protocol/trace-context.js";
import { OpeningStream } from "./opening-stream.js";

/**
 * A call with some members replaced. The others are read on demand, because computing them may be expensive. Replaced
 * headers also replace the trace context.
 */
export function changedCall(call: CallContext, changes: Partial<CallContext>): CallContext {
  const { headers } = changes;
  const trace = headers === undefined ? undefined : readTrace(headers);
  const all = trace === undefined ? changes : { trace, ...changes };
  return new Proxy(call, {
    // The call itself is the receiver: its members may be getters of private state.
    get: (target, member) => (member in all ? Reflect.get(all, member) : Reflect.get(target, member, target)),
    has: (target, member) => member in all || member in target,
  });
}

/** An operation before its execution: the request is valid by the schema, and the caller is known. */
export interface OperationCall {
  readonly operation: OperationName;
  /** Path of the agent on the server; `""` at the root. */
  readonly agent: string;
  readonly request: OperationTypes[OperationName]["request"];
  /** Principal, tenant and every header of the request (§3.2.6). */
  readonly call: CallContext;
}

/** The answer of an operation: one value, or a stream of events that are produced on demand. */
export type OperationAnswer =
  | { readonly response: OperationTypes[OperationName]["response"] }
  | { readonly events: AsyncIterable<StreamResponse> };

/**
 * Executes the operation.
 * @param changes members of the call to replace for the handler, such as headers
 * @throws A2AError when the operation fails before its answer
 */
export type Proceed = (changes?: Partial<CallContext>) => Promise<OperationAnswer>;

/**
 * Runs around every operation of every agent and binding (§13.4). It may refuse by throwing an `A2AError`, return an
 * answer of its own, or change the answer. A stream answers when it opens; to observe its end, wrap `events` in another
 * iterable.
 *
 * @example
 * ```ts
 * const timing: Interceptor = async ({ operation }, proceed) => {
 *   const start = performance.now();
 *   try {
 *     return await proceed();
 *   } finally {
 *     histogram.record(performance.now() - start, { operation });
 *   }
 * };
 * ```
 */
export type Interceptor = (operation: OperationCall, proceed: Proceed) => Promise<OperationAnswer>;

type AnyMethod = (request: never, call: CallContext) => unknown;

/**
 * Wraps a handler in interceptors.
 * @param around interceptors of an operation, outermost first; operations without any are unchanged
 */
export function intercepted(
  handler: A2AHandler<CallContext>,
  agent: string,
  around: (row: Operation) => readonly Interceptor[],
): A2AHandler<CallContext> {
  const methods = handler as Record<HandlerMethod, AnyMethod>;
  const wrapped = operations.map((row): [HandlerMethod, AnyMethod] => {
    const name = handlerMethod(row);
    const interceptors = around(row);
    const method: AnyMethod = (request, call) => methods[name](request, call);
    if (interceptors.length === 0) return [name, method];
    const through = chain(row, agent, method, interceptors);
    const stream: AnyMethod = (request, call) =>
      new OpeningStream(async () => {
        const answer = await through(request, call);
        if ("events" in answer) return answer.events;
        throw new TypeError(`An interceptor answered ${row.name} without events`);
      });
    const answer: AnyMethod = async (request, call) => {
      const answer = await through(request, call);
      if ("response" in answer) return answer.response;
      throw new TypeError(`An interceptor answered ${row.name} without a response`);
    };
    return [name, row.streaming ? stream : answer];
  });
  return Object.fromEntries(wrapped) as Record<HandlerMethod, AnyMethod> as A2AHandler<CallContext>;
}

type Through = (request: never, call: CallContext) => Promise<OperationAnswer>;

function chain(
  { name, streaming }: Operation,
  agent: string,
  method: AnyMethod,
  interceptors: readonly Interceptor[],
): Through {
  const handled: Through = async (request, call) =>
    (streaming
      ? { events: method(request, call) }
      : { response: await method(request, call) }) as OperationAnswer;
  return interceptors.reduceRight<Through>(
    (inner, interceptor) => (request, call) =>
      interceptor({ operation: name, agent, request, call }, (changes) =>
        inner(request, changes === undefined ? call : changedCall(call, changes)),
      ),
    handled,
  );
}
