import type { ServerOptions } from "./settings.js";

type Rule = readonly [isRight: (value: unknown) => boolean, words: string];

/** What the values of options must be. Programs without types would otherwise fail far from the mistake, or not at all. */
const rules: { readonly [Name in keyof ServerOptions]?: Rule } = {
  bindings: [Array.isArray, 'a list, such as ["JSONRPC"]'],
  versions: [Array.isArray, "a list of versions"],
  cors: [isOrigins, 'a list of origins, such as ["https://app.example.com"], or "*" for any'],
  rateLimit: [isObject, "an object, such as { requests: 30, seconds: 10 }, or a limiter"],
  whenClosing: oneOf("abort", "finish"),
  requireExtensionsOn: oneOf("send", "all"),
  logger: [
    (value) => value === false || hasMethods(value, ["debug", "info", "warn", "error"]),
    "an object with the methods debug, info, warn and error, such as pino() or console, or false for none",
  ],
  interceptors: [Array.isArray, "a list of functions"],
  audit: [(value) => typeof value === "function", "a function"],
  telemetry: [
    (value) => hasMethods(value, ["begin", "count", "time", "observe"]),
    "what openTelemetry() of a2a-parley/opentelemetry returns, or an object with its methods",
  ],
  cardKeys: [Array.isArray, "a list of keys"],
  auth: [
    isObject,
    'an object, such as { verifiers: { key: apiKeys({ [process.env.ALICE_KEY]: "alice" }) } }, with the names of the schemes in the card',
  ],
  push: [isObject, "an object with the options of webhooks, or {} for the defaults"],
  limits: [isObject, "an object, such as { body: 1024 * 1024 }"],
  trustProxy: [(value) => typeof value === "boolean", "true or false"],
  paths: [isObject, 'an object, such as { jsonRpc: "/rpc" }'],
  metrics: [isObject, 'an object, such as { read: prometheus.read, allow: "everyone" }'],
};

/** @throws TypeError that names the option and says what it must be */
export function checkValues(options: ServerOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = rules[name as keyof ServerOptions];
    if (value !== undefined && rule?.[0](value) === false) throw new TypeError(`${name} must be ${rule[1]}`);
  }
}

function oneOf(...words: readonly string[]): Rule {
  return [(value) => words.includes(value as string), words.map((word) => `"${word}"`).join(" or ")];
}

/** A string other than `"*"` would be searched for parts of an origin. */
function isOrigins(value: unknown): boolean {
  return value === true || value === "*" || Array.isArray(value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return (
    isObject(value) &&
    names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function")
  );
}
