import { createRequire } from "node:module";
import { missingPackage } from "../async/optional-package.js";

/**
 * Loads `@opentelemetry/api` on Node, where a missing package is named with the command that installs it. Bundlers and other platforms
 * import the package itself, by the conditions of `#opentelemetry-api` in package.json.
 * @throws Error when it is not installed
 */
export function loadApi(load: (name: string) => unknown): typeof import("@opentelemetry/api") {
  try {
    return load("@opentelemetry/api") as typeof import("@opentelemetry/api");
  } catch (thrown) {
    throw missingPackage(thrown, "@opentelemetry/api", "a2a-parley/opentelemetry");
  }
}

export const {
  context,
  createTraceState,
  isSpanContextValid,
  metrics,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} = loadApi(createRequire(import.meta.url));
