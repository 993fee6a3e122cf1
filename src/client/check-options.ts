import { parseUrl } from "../net/url.js";
import { ClientError } from "./client-error.js";
import type { ConnectOptions, OptionGroups } from "./options.js";

/** The name of every option. */
const optionNames: Readonly<Record<keyof ConnectOptions, true>> = {
  ...{ bindings: true, versions: true, minVersion: true, credentials: true, headers: true, origins: true },
  ...{ extensions: true, skills: true, signatures: true, cache: true, fetch: true, timeouts: true },
  ...{ retry: true, resume: true, polling: true, interceptors: true, lenient: true, localChecks: true },
  ...{ agent: true, grpc: true, limits: true, oneSendPerTask: true, logger: true, signal: true },
};

type Rule = readonly [isValid: (value: unknown) => boolean, expected: string];

const list = (example: string): Rule => [Array.isArray, `a list, such as ${example}`];
const group: Rule = [isObject, "an object"];
const flag: Rule = [(value) => typeof value === "boolean", "true or false"];
const groupOrFalse: Rule = [(value) => value === false || isObject(value), "an object or false"];

/** What the values of options must be. Programs without types would otherwise fail far from the mistake, or not at all. */
const rules: { readonly [Name in keyof ConnectOptions]?: Rule } = {
  agent: [(value) => isText(value) && value !== "", "the name of an agent as a string"],
  cache: [(value) => hasMethods(value, ["find", "store"]), "a CardCache"],
  bindings: [isFilled, 'a list of at least one binding, such as ["JSONRPC"]'],
  versions: [
    (value) => isFilled(value) && value.every(isText),
    "a list of at least one version, each a string",
  ],
  minVersion: [isText, "a version as a string"],
  origins: list('["https://agents.example.com"]'),
  extensions: [
    (value) => Array.isArray(value) && value.every((one) => isText(one?.uri ?? one)),
    'a list of URIs, such as ["https://example.com/extensions/citations/v1"]',
  ],
  interceptors: list("[{ before: (call) => console.log(call.operation) }]"),
  credentials: [
    (value) => typeof value === "function" || isObject(value),
    "an object, such as { bearer: token }, with the names of the schemes in the card, or a function",
  ],
  headers: [
    // The fields of a `Headers` object are not own members, so they would not be sent.
    (value) => isObject(value) && !(value instanceof Headers),
    'an object, such as { "X-Team": "planning" }',
  ],
  fetch: [(value) => typeof value === "function", "a function such as globalThis.fetch"],
  logger: [
    (value) => hasMethods(value, ["debug", "info", "warn", "error"]),
    "an object with the methods debug, info, warn and error, such as pino() or console",
  ],
  signal: [(value) => hasMethods(value, ["addEventListener"]), "an AbortSignal, such as controller.signal"],
  ...{ timeouts: group, limits: group, polling: group, retry: groupOrFalse, resume: groupOrFalse },
  ...{ signatures: group, grpc: group, lenient: flag, localChecks: flag, oneSendPerTask: flag },
};

/**
 * Checks the names of options and, as far as there are rules for them, their values. The code that finds a similar name is loaded only for
 * an unknown one.
 * @param groups the options that are groups of numbers, with all their members
 * @throws ClientError INVALID_OPTION naming the option and, for one that does not exist, a similar name if there is one
 */
export async function checkOptions(options: ConnectOptions, groups: OptionGroups): Promise<void> {
  await checkNames(options, optionNames);
  for (const [name, value] of Object.entries(options)) {
    const rule = rules[name as keyof ConnectOptions];
    if (value !== undefined && rule?.[0](value) === false)
      throw new ClientError("INVALID_OPTION", `${name} must be ${rule[1]}`);
  }
  for (const [option, members] of Object.entries(groups)) {
    const given = options[option as keyof OptionGroups] || {};
    await checkNames(given, members, option);
    checkNumbers(option, given);
  }
  for (const origin of options.origins ?? []) {
    // `localhost:4000` is a URL with the scheme `localhost:`, and its origin is "null".
    if ((parseUrl(origin)?.origin ?? "null") === "null")
      throw new ClientError(
        "INVALID_OPTION",
        `origins: "${origin}" is not an origin: write scheme, host and port, such as https://agents.example.com`,
      );
  }
}

function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof Object(value)[name] === "function");
}

async function checkNames(given: object, known: object, option?: string): Promise<void> {
  if (Object.keys(given).every((name) => Object.hasOwn(known, name))) return;
  const { unknownName } = await import("../json/unknown-name.js");
  throw new ClientError("INVALID_OPTION", unknownName(given, known, option) ?? "");
}

function checkNumbers(option: string, numbers: object): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value !== undefined && !(typeof value === "number" && value >= 0)) {
      throw new ClientError("INVALID_OPTION", `${option}.${name} must be a number of at least 0`);
    }
  }
}
