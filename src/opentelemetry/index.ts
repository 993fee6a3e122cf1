/**
 * Adapter for OpenTelemetry: passes spans and metrics of a server to a tracer and a meter. Needs `@opentelemetry/api`.
 *
 * @packageDocumentation
 */

export { type OpenTelemetryOptions, openTelemetry } from "./open-telemetry.js";
