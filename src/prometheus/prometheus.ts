import { missingPackage } from "../async/optional-package.js";
import type { Telemetry } from "../observability/telemetry.js";
import type { OpenTelemetryOptions } from "../opentelemetry/open-telemetry.js";

/** Options of {@link openPrometheus}. */
export interface PrometheusOptions extends Pick<OpenTelemetryOptions, "tracer"> {
  /**
   * Port of a separate server with `/metrics`, which anyone who reaches the port can read. Without a port no such server is started:
   * pass {@link Prometheus.read} to the option `metrics` of `serve`, or call it in a route of your own. At least 1: the exporter would take
   * 0 for its default port.
   */
  readonly port?: number;
  /** Address to listen on; by default `127.0.0.1`, to which only this machine can connect. */
  readonly host?: string;
}

/** Metrics of the servers of this process in the text format of Prometheus. */
export interface Prometheus {
  /** Value of the option `telemetry` of one or more servers. Gauges are those of all of them together. */
  readonly telemetry: Telemetry;
  /**
   * All metrics at this moment, as text.
   * @throws AggregateError if some could not be collected
   */
  read(): Promise<string>;
  /** Stops listening and measuring. */
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";

/**
 * Collects the metrics of servers for Prometheus. Needs `@opentelemetry/api`, `@opentelemetry/sdk-metrics` and
 * `@opentelemetry/exporter-prometheus`.
 *
 * @throws Error when one of them is not installed, or the port is in use; TypeError for port 0
 * @example
 * ```ts
 * const prometheus = await openPrometheus({ port: 9464 });
 * await serve(agent, { port: 4000, telemetry: prometheus.telemetry });
 * ```
 */
export async function openPrometheus(options: PrometheusOptions = {}): Promise<Prometheus> {
  const { port, host = LOOPBACK, tracer } = options;
  if (port !== undefined && !(port > 0)) {
    const hint = "name a free port, or omit it and pass `read` to the option `metrics` of serve";
    throw new TypeError(`openPrometheus: port must be at least 1, not ${port}: ${hint}`);
  }
  const { PrometheusExporter, PrometheusSerializer, MeterProvider, openTelemetry } = await packages();
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    host,
    ...(port !== undefined && { port }),
  });
  const provider = new MeterProvider({ readers: [exporter] });
  const serializer = new PrometheusSerializer();
  if (port !== undefined) await exporter.startServer();
  return {
    telemetry: openTelemetry({ meter: provider.getMeter("a2a-parley"), ...(tracer && { tracer }) }),
    async read() {
      const { resourceMetrics, errors } = await exporter.collect();
      if (errors.length > 0) throw new AggregateError(errors, "Metrics could not be collected");
      return serializer.serialize(resourceMetrics);
    },
    close: () => provider.shutdown(),
  };
}

/** Loads the optional packages. If one is missing, the error names the command that installs it. */
async function packages() {
  try {
    return {
      ...(await import("../opentelemetry/open-telemetry.js")),
      ...(await import("@opentelemetry/sdk-metrics")),
      ...(await import("@opentelemetry/exporter-prometheus")),
    };
  } catch (error) {
    throw needed.reduce((thrown, name) => missingPackage(thrown, name, "openPrometheus"), error);
  }
}

/** The packages that {@link packages} loads. */
const needed = ["@opentelemetry/api", "@opentelemetry/sdk-metrics", "@opentelemetry/exporter-prometheus"];
