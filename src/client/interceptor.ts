import type { StreamResponse } from "../protocol/model.js";
import type { OperationName, OperationTypes, UnaryOperationName } from "../protocol/operations.js";

/** What an operation gives back: its response, or the events of a stream that was opened. */
export type OperationResult = OperationTypes[UnaryOperationName]["response"] | AsyncIterable<StreamResponse>;

/** A call on its way out. A resumed stream is a call of SubscribeToTask in its own right. */
export interface OperationCall<Name extends OperationName = OperationName> {
  readonly operation: Name;
  /** The request; a hook may put another one in its place. */
  request: OperationTypes[Name]["request"];
  /** Headers of this call; a hook may add to them, trace context for example. */
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal | undefined;
}

/** How a call ended. A stream counts as ended when it was opened. */
export type CallOutcome = { readonly result: OperationResult } | { readonly error: unknown };

/**
 * Hooks around operations. Of several interceptors the first one is outermost: its `before` runs first and its `after` last. A
 * repetition of a call by the client itself passes no hook again.
 */
export interface Interceptor {
  /** Operations that it is about; all of them when left out. */
  readonly operations?: readonly OperationName[];
  /** Runs before a call leaves; what it throws is the call's failure. */
  before?(call: OperationCall): void | Promise<void>;
  /** Runs when a call has ended, well or not. */
  after?(call: OperationCall, outcome: CallOutcome): void | Promise<void>;
  /** Takes the place of the call: answers itself, or calls `next` for what the inner ones and the agent answer. */
  around?(call: OperationCall, next: () => Promise<OperationResult>): Promise<OperationResult>;
}

/** Makes a call through interceptors. */
export async function intercept(
  interceptors: readonly Interceptor[],
  call: OperationCall,
  perform: () => Promise<OperationResult>,
): Promise<OperationResult> {
  const [outermost, ...inner] = interceptors;
  if (outermost === undefined) return perform();
  const { operations } = outermost;
  const next = (): Promise<OperationResult> => intercept(inner, call, perform);
  if (operations !== undefined && !operations.includes(call.operation)) return next();
  return observe(outermost, call, next);
}

async function observe(
  interceptor: Interceptor,
  call: OperationCall,
  next: () => Promise<OperationResult>,
): Promise<OperationResult> {
  let outcome: CallOutcome;
  try {
    await interceptor.before?.(call);
    outcome = { result: await (interceptor.around?.(call, next) ?? next()) };
  } catch (error) {
    outcome = { error };
  }
  await interceptor.after?.(call, outcome);
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}
