/**
 * Metrics of servers for Prometheus. Needs `@opentelemetry/api`, `@opentelemetry/sdk-metrics` and `@opentelemetry/exporter-prometheus`.
 *
 * @packageDocumentation
 */

export { openPrometheus, type Prometheus, type PrometheusOptions } from "./prometheus.js";
