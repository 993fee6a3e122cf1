import assert from "node:assert/strict";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { openTelemetry } from "../../src/opentelemetry/index.js";

/** A tracer and a meter that keep what they get. */
export function recording() {
  const spans = new InMemorySpanExporter();
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e8 });
  const metering = new MeterProvider({ readers: [reader] });
  const tracer = tracing.getTracer("test");
  return {
    tracer,
    telemetry: openTelemetry({ tracer, meter: metering.getMeter("test") }),
    spans: () => spans.getFinishedSpans(),
    named: (name: string): ReadableSpan => {
      const found = spans.getFinishedSpans().filter((span) => span.name === name);
      assert.equal(found.length, 1, `one span ${name}`);
      return found[0] as ReadableSpan;
    },
    /** Every value of a metric, with its attributes. */
    async values(name: string) {
      await reader.forceFlush();
      const all =
        exporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      const found = all.filter(({ descriptor }) => descriptor.name === name);
      return found.flatMap(({ dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({ attributes, value })),
      );
    },
  };
}
