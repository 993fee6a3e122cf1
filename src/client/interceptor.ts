import type { Received, StreamResponse } from "../protocol/model.js";
import type { OperationName, OperationTypes, UnaryOperationName } from "../protocol/operations.js";

/** The result of an operation: its response, or the events of an opened stream. */
export type OperationResult =
  | OperationTypes[UnaryOperationName]["received"]
  | AsyncIterable<Received<StreamResponse>>;

/** A call of an operation, as interceptors see it. Resuming a stream is a separate call of SubscribeToTask. */
export interface ClientCall<Name extends OperationName = OperationName> {
  readonly operation: Name;
  /** The request; an interceptor may replace it before the call is sent. */
  request: OperationTypes[Name]["request"];
  /** Headers of this call, in addition to the client's. An interceptor may add to them before the call is sent. */
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal | undefined;
}

/** The outcome of a call. A streaming call ends when its stream opens. */
export type CallOutcome = { readonly result: OperationResult } | { readonly error: unknown };

/**
 * Functions around operations. The first of several interceptors is the outermost: its `before` runs first and its `after` last. If its
 * `before` throws, or its `around` does not call `next`, the inner ones do not run. A call that fails the check of the option `localChecks`
 * runs no interceptors, and retries by the option `retry` do not run them again.
 *
 * @example
 * ```ts
 * const tracing: ClientInterceptor = {
 *   before: ({ headers }) => {
 *     headers.traceparent = currentTrace();
 *   },
 * };
 * ```
 */
export interface ClientInterceptor {
  /** Operations to intercept; all by default. */
  readonly operations?: readonly OperationName[];
  /** Runs before a call is sent; an error that it throws fails the call. */
  before?(call: ClientCall): void | Promise<void>;
  /** Runs when the call has ended, also if `before` threw; an error that it throws replaces the outcome. */
  after?(call: ClientCall, outcome: CallOutcome): void | Promise<void>;
  /** Replaces the call: returns a result itself, or calls `next` for the result of the inner interceptors and the agent. */
  around?(call: ClientCall, next: () => Promise<OperationResult>): Promise<OperationResult>;
}

/**
 * Runs a call through interceptors.
 * @throws what the interceptors and `perform` throw
 */
export async function intercept(
  interceptors: readonly ClientInterceptor[],
  call: ClientCall,
  perform: () => Promise<OperationResult>,
): Promise<OperationResult> {
  const [outermost, ...inner] = interceptors;
  if (outermost === undefined) return perform();
  const next = (): Promise<OperationResult> => intercept(inner, call, perform);
  const applies = outermost.operations?.includes(call.operation) ?? true;
  return applies ? observe(outermost, call, next) : next();
}

async function observe(
  interceptor: ClientInterceptor,
  call: ClientCall,
  next: () => Promise<OperationResult>,
): Promise<OperationResult> {
  let outcome: CallOutcome;
  try {
    await interceptor.before?.(call);
    outcome = { result: await (interceptor.around ? interceptor.around(call, next) : next()) };
  } catch (error) {
    outcome = { error };
  }
  await interceptor.after?.(call, outcome);
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}
