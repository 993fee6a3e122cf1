import type { TraceContext } from "../protocol/trace-context.js";
import type { CounterName, DurationName, Readings } from "./metrics.js";

/** Attributes of a span or a measurement. They contain neither secrets nor message content. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The start of a span. */
export interface SpanStart {
  /** Work for a caller, internal work, or an outgoing request. */
  readonly kind: "server" | "internal" | "client";
  /** Parent in the trace; without it the span starts a new trace. */
  readonly parent?: TraceContext | undefined;
  /** Attributes that are known at the start. */
  readonly attributes: Attributes;
}

/** Why a span failed. */
export interface SpanFailure {
  /** Machine-readable: the error code of a response, the outcome of a delivery, or `EXECUTOR_FAILED`. */
  readonly code: string;
  /** For people: the error text of a response, or why a delivery failed. */
  readonly message?: string;
  /** What the executor threw, without the credentials of the caller. */
  readonly exception?: unknown;
}

/** A unit of work in a trace. */
export interface Span {
  /** Trace context for outgoing requests; undefined when there is none. */
  readonly trace: TraceContext | undefined;
  /** Calls a function within the span, so that spans started in it become its children. */
  run<Result>(body: () => Result): Result;
  /** Adds attributes that were not known at the start. */
  annotate(attributes: Attributes): void;
  /** Ends the span; called at most once. */
  end(failure?: SpanFailure): void;
}

/**
 * Receives the spans and metrics of a server. The library depends on no telemetry product; `a2a-parley/opentelemetry`
 * is the adapter for OpenTelemetry. An error of a method is logged and has no other effect.
 */
export interface Telemetry {
  /** Begins a span: `a2a.server SendMessage`, `a2a.execution`, `a2a.delivery`. */
  begin(name: string, start: SpanStart): Span;
  /** Adds 1 to a counter. */
  count(counter: CounterName, attributes: Attributes): void;
  /** Records a duration, in seconds. */
  time(name: DurationName, seconds: number, attributes: Attributes): void;
  /**
   * Registers a function that reads the gauges at each collection. Called once per server.
   * @returns a function that unregisters it
   */
  observe(read: () => Readings | Promise<Readings>): () => void;
}

/** Stands for the operation of a request that was refused before its operation was known. */
export const UNKNOWN_OPERATION = "unknown";

/** Name of the span of an operation. */
export function spanName(operation: string): string {
  return `a2a.server ${operation}`;
}
