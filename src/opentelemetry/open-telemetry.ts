import type { Context, Exception, Meter, SpanContext, Tracer } from "@opentelemetry/api";
import {
  context,
  createTraceState,
  isSpanContextValid,
  metrics,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "#opentelemetry-api";
import {
  combined,
  counters,
  DURATION_BUCKETS,
  durations,
  gauges,
  type Metric,
} from "../observability/metrics.js";
import type { Span, SpanStart, Telemetry } from "../observability/telemetry.js";
import type { TraceContext } from "../protocol/trace-context.js";

/** Destination of spans and measurements; by default the globally registered providers. */
export interface OpenTelemetryOptions {
  /** Begins the spans; by default the tracer `a2a-parley` of the global provider. */
  readonly tracer?: Tracer | undefined;
  /** Creates counters, histograms and gauges; by default the meter `a2a-parley` of the global provider. */
  readonly meter?: Meter | undefined;
}

const NAME = "a2a-parley";

/**
 * Makes the `telemetry` option of a server from a tracer and a meter of OpenTelemetry. Trace contexts are read and
 * written as W3C headers, whatever propagator the application uses elsewhere.
 *
 * @example
 * ```ts
 * await serve(agent, { telemetry: openTelemetry({ tracer: trace.getTracer("rates") }) });
 * ```
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const { tracer = trace.getTracer(NAME), meter = metrics.getMeter(NAME) } = options;
  const adders = instrumentsOf(counters, (name, metric) => meter.createCounter(name, metric));
  const advice = { explicitBucketBoundaries: [...DURATION_BUCKETS] };
  const timers = instrumentsOf(durations, (name, metric) =>
    meter.createHistogram(name, { ...metric, advice }),
  );
  return {
    begin: (name, start) => begin(tracer, name, start),
    count: (name, attributes) => adders[name].add(1, attributes),
    time: (name, seconds, attributes) => timers[name].record(seconds, attributes),
    observe: (read) => observe(meter, read),
  };
}

/** Contexts of this process's spans, by trace context: their children have a local parent. */
const local = new WeakMap<TraceContext, Context>();

function begin(tracer: Tracer, name: string, { kind, parent, attributes }: SpanStart): Span {
  const from = parent === undefined ? ROOT_CONTEXT : (local.get(parent) ?? remote(parent));
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, from);
  const within = trace.setSpan(from, span);
  const written = headersOf(span.spanContext());
  if (written !== undefined) local.set(written, within);
  return {
    trace: written,
    run: (body) => context.with(within, body),
    annotate: (more) => {
      span.setAttributes(more);
    },
    end(failure) {
      if (failure !== undefined) {
        span.setAttribute("error.type", failure.code);
        const message = failure.message ?? failure.code;
        span.setStatus({ code: SpanStatusCode.ERROR, message });
        if (failure.exception !== undefined) span.recordException(exceptionOf(failure.exception));
      }
      span.end();
    },
  };
}

function exceptionOf(thrown: unknown): Exception {
  return thrown instanceof Error ? thrown : String(thrown);
}

const kinds = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

/** The headers of a span; undefined for an unrecorded span without a trace. */
function headersOf(spanContext: SpanContext): TraceContext | undefined {
  if (!isSpanContextValid(spanContext)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = spanContext;
  const flags = traceFlags.toString(16).padStart(2, "0");
  const tracestate = traceState?.serialize();
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(tracestate && { tracestate }) };
}

/** The context of a span of another process, from its headers. */
function remote({ traceparent, tracestate }: TraceContext): Context {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
}

/** Reads the gauges of one server. */
type Read = Parameters<Telemetry["observe"]>[0];

/** The open servers of each meter. */
const observed = new WeakMap<Meter, Set<Read>>();

function observe(meter: Meter, read: Read): () => void {
  const reads = observed.get(meter) ?? register(meter);
  reads.add(read);
  return () => reads.delete(read);
}

/**
 * Registers the gauges of a meter. A gauge without attributes has one value, so it is that of all open servers together. The gauges stay
 * registered when there is none, because the SDK would continue to report their last values.
 * @returns the open servers, for the caller to add to
 */
function register(meter: Meter): Set<Read> {
  const reads = new Set<Read>();
  const instruments = instrumentsOf(gauges, (name, metric) => meter.createObservableGauge(name, metric));
  const names = Object.keys(gauges) as (keyof typeof gauges)[];
  const callback: Parameters<Meter["addBatchObservableCallback"]>[0] = async (result) => {
    const servers = await Promise.all(Array.from(reads, (read) => read()));
    for (const name of names) result.observe(instruments[name], combined(name, servers));
  };
  meter.addBatchObservableCallback(callback, Object.values(instruments));
  observed.set(meter, reads);
  return reads;
}

/** One instrument per metric of a table. */
function instrumentsOf<Name extends string, Instrument>(
  table: Readonly<Record<Name, Metric>>,
  make: (name: Name, metric: Metric) => Instrument,
): Readonly<Record<Name, Instrument>> {
  const entries = Object.entries<Metric>(table).map(([name, metric]) => [name, make(name as Name, metric)]);
  return Object.fromEntries(entries);
}
