import type { CallContext } from "../../protocol/call-context.js";
import type { Received, StreamResponse } from "../../protocol/model.js";
import {
  type A2AHandler,
  type HandlerMethod,
  handlerMethod,
  type Operation,
  type OperationName,
  type OperationTypes,
} from "../../protocol/operations.js";
import { readTrace } from "../../protocol/trace-context.js";

/** An operation before its execution: the request is valid by the schema, and the caller is known. */
export interface OperationCall {
  readonly operation: OperationName;
  /** Path of the agent on the server; `""` at the root. */
  readonly agent: string;
  readonly request: OperationTypes[OperationName]["request"];
  /** Principal, tenant and every header of the request (§3.2.6). */
  readonly call: CallContext;
}

/** The result of an operation: one response, or a stream of events that are produced on demand. */
export type OperationAnswer =
  | { readonly response: OperationTypes[OperationName]["received"] }
  | { readonly events: AsyncIterable<Received<StreamResponse>> };

/**
 * Executes the operation.
 * @param changes members of the call to replace for the handler, such as headers
 * @throws A2AError when a unary operation fails; a stream throws when its events are read
 */
export type Proceed = (changes?: Partial<CallContext>) => Promise<OperationAnswer>;

/**
 * A function around every operation of every agent and binding (§13.4). It runs after authentication and before `authorize`. It can refuse
 * an operation by throwing an `A2AError`, return a result of its own, or change the result. The result of a streaming operation is there
 * before the stream opens; to observe a refusal or the end of the stream, wrap `events` in another iterable.
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

/** A handler with its interceptors. */
export interface InterceptedAgent {
  /** Path of the agent on the server; `""` at the root. */
  readonly path?: string;
  readonly handler: A2AHandler<CallContext>;
  /** The outermost first; none unless given. */
  readonly interceptors?: readonly Interceptor[];
}

/** The response of an operation, or the events of its stream. */
export type Outcome = OperationTypes[OperationName]["received"] | AsyncIterable<Received<StreamResponse>>;

type AnyMethod = (request: OperationCall["request"], call: CallContext) => Outcome | Promise<Outcome>;

/**
 * Performs an operation: calls the interceptors of the agent, the innermost of which calls the handler. Without interceptors it calls the
 * handler synchronously.
 */
export function invoke(
  agent: InterceptedAgent,
  operation: Operation,
  request: OperationCall["request"],
  call: CallContext,
): Outcome | Promise<Outcome> {
  const { handler, interceptors = [] } = agent;
  if (interceptors.length > 0) return intercepted(agent, operation, request, call);
  return (handler as Record<HandlerMethod, AnyMethod>)[handlerMethod(operation)](request, call);
}

async function intercepted(
  { path: agent = "", handler, interceptors = [] }: InterceptedAgent,
  row: Operation,
  request: OperationCall["request"],
  call: CallContext,
): Promise<Outcome> {
  const { name: operation, streaming } = row;
  const handled = async (call: CallContext): Promise<OperationAnswer> => {
    const outcome = (handler as Record<HandlerMethod, AnyMethod>)[handlerMethod(row)](request, call);
    return (streaming ? { events: outcome } : { response: await outcome }) as OperationAnswer;
  };
  const proceed = (index: number, call: CallContext): Promise<OperationAnswer> => {
    const interceptor = interceptors[index];
    if (interceptor === undefined) return handled(call);
    return interceptor({ operation, agent, request, call }, (changes) =>
      proceed(index + 1, changes === undefined ? call : changedCall(call, changes)),
    );
  };
  const answer = await proceed(0, call);
  if (streaming) {
    if ("events" in answer) return answer.events;
    throw new TypeError(`An interceptor answered ${operation} without events`);
  }
  if ("response" in answer) return answer.response;
  throw new TypeError(`An interceptor answered ${operation} without a response`);
}

/**
 * A call with some members replaced. The others are read on demand, because computing them may be expensive. Replaced
 * headers that have a trace context also replace that of the call.
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
