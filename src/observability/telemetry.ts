import type { TraceContext } from "../protocol/trace-context.js";
import type { CounterName, DurationName, Readings } from "./metrics.js";

/** Facts about a span or a measurement. Nothing in them is secret, and no content of messages. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** How a span begins. */
export interface SpanStart {
  /** Work that is done for a caller, work of its own, or a request to somebody else. */
  readonly kind: "server" | "internal" | "client";
  /** Where in a trace it belongs; without one a trace begins here. */
  readonly parent?: TraceContext | undefined;
  readonly attributes: Attributes;
}

/** Why the work of a span failed. */
export interface SpanFailure {
  /** A word for the machine: an error code of the protocol, or a state. */
  readonly code: string;
  /** For people. Never the text of an error that somebody else wrote. */
  readonly message?: string;
}

/** A piece of work that is under way. */
export interface Span {
  /** What the next one in the trace is told, in the headers of what is asked of others; undefined when there is nothing to tell. */
  readonly trace: TraceContext | undefined;
  /** Calls a function within the span, so that spans that begin in it belong to it. */
  run<Result>(body: () => Result): Result;
  /** Adds what is known only now. */
  annotate(attributes: Attributes): void;
  /** Ends the span; called once. */
  end(failure?: SpanFailure): void;
}

/**
 * Where a server tells what it does: spans and numbers. The library calls it and knows no product behind it; the adapter for
 * OpenTelemetry is in `a2a-parley/opentelemetry`. None of its methods may throw.
 */
export interface Telemetry {
  /** Begins a span: `a2a.server SendMessage`, `a2a.execution`, `a2a.delivery`. */
  begin(name: string, start: SpanStart): Span;
  /** Adds to a counter. */
  count(counter: CounterName, attributes: Attributes): void;
  /** Notes how long something took, in seconds. */
  time(name: DurationName, seconds: number, attributes: Attributes): void;
  /**
   * Hands over a function that reads what changes by itself, for whenever somebody wants to know. Called once for each app.
   * @returns ends that
   */
  observe(read: () => Readings | Promise<Readings>): () => void;
}
