import { checkAuthOptions } from "../auth/auth-options.js";
import { unknownName } from "../json/unknown-name.js";
import { parseUrl } from "../net/url.js";
import { stderrLogger } from "../observability/stderr-logger.js";
import { assertObject } from "../protocol/argument.js";
import { silent } from "../protocol/logger.js";
import type { BindingName } from "../protocol/operations.js";
import { MemoryStore } from "../stores/memory.js";
import { servableVersions } from "../versions/codecs.js";
import { versionName } from "../versions/version.js";
import { bindings } from "./bindings/bindings.js";
import { checkValues } from "./check-values.js";
import { guardedHooks } from "./guarded-hooks.js";
import { resolveLimits } from "./limits.js";
import { checkRateLimit } from "./rate-limits.js";
import type { ServerOptions, ServerSettings } from "./settings.js";

/** An option of a server with its default, as the documentation shows it. */
interface OptionRow<Value> {
  /** The default; undefined if there is none, or if it is created for each server. */
  readonly default: Value;
  /** A description in Markdown, with links relative to docs/operations.md. */
  readonly about: string;
  /** The default in words. In Markdown. */
  readonly shown: string;
}

/** Every option, with its default. The settings of a server and the table in docs/operations.md come from here. */
export const optionRows = {
  publicUrl: {
    default: undefined,
    about: "the server's URL for callers, as in its cards",
    shown:
      "the address that `serve` listens on; the host of each request in apps, with `trustProxy`, and on all network interfaces",
  },
  trustProxy: { default: false, about: "trust `Forwarded` and `X-Forwarded-*`", shown: "off" },
  paths: {
    default: { jsonRpc: "/", httpJson: "/" },
    about: "`{ jsonRpc, httpJson }`: paths of the bindings below the agent",
    shown: "both at `/`",
  },
  bindings: {
    default: ["JSONRPC", "HTTP+JSON"] as BindingName[],
    about: '`"JSONRPC"`, `"HTTP+JSON"`, [`"GRPC"`](grpc.md), the preferred one first',
    shown: "the first two",
  },
  versions: {
    default: undefined,
    about: "[protocol versions](versions.md), the preferred one first",
    shown:
      "those in `supportedInterfaces` of the card that are supported; if there are none, [the default versions](versions.md)",
  },
  inferVersion: {
    default: false,
    about: "derive the [version](versions.md) from the method name or path if a request names none",
    shown: "off",
  },
  cors: {
    default: [],
    about:
      'origins whose pages may call the operations, or `"*"` for any; cards are readable from every origin',
    shown: "none",
  },
  store: { default: undefined, about: "[where tasks are stored](stores.md)", shown: "in memory" },
  leaseTime: {
    default: 15,
    about: "seconds until [other nodes take over the work of a node that died](many-nodes.md#the-lease-time)",
    shown: "15",
  },
  auth: {
    default: {},
    about: "[who may call](identity.md)",
    shown: "no authentication, unless the card requires it",
  },
  push: { default: undefined, about: "[webhooks](push.md)", shown: "off" },
  limits: { default: {}, about: "[above](#limits)", shown: "[above](#limits)" },
  rateLimit: { default: undefined, about: "[above](#limits)", shown: "none" },
  whenClosing: { default: "abort", about: "[above](#stopping)", shown: '`"abort"`' },
  logger: {
    default: undefined,
    about: "[above](#logs-hooks-audit); false for none",
    shown: "warnings and errors to stderr",
  },
  interceptors: { default: [], about: "[above](#logs-hooks-audit)", shown: "none" },
  audit: { default: undefined, about: "[above](#logs-hooks-audit)", shown: "none" },
  telemetry: { default: undefined, about: "[above](#traces-and-metrics)", shown: "none" },
  metrics: {
    default: undefined,
    about: "[metrics](#metrics-for-prometheus) at `/metrics`, and who may read them",
    shown: "none",
  },
  cardKeys: { default: [], about: "[above](#a-signed-card)", shown: "none" },
  cardMaxAge: { default: 300, about: "seconds for which a card may be cached", shown: "300" },
  docs: {
    default: false,
    about: "a page with the OpenAPI document at `/docs`; needs `swagger-ui-dist`",
    shown: "off",
  },
  page: {
    default: true,
    about: "a page for browsers at the URL of each agent, with its card and how to call it",
    shown: "on",
  },
  catalog: {
    default: false,
    about: "[a list of the agents](agents.md#serving) at `/.well-known/ai-catalog.json`",
    shown: "off",
  },
  heartbeat: {
    default: 15,
    about:
      "seconds of silence after which an open stream gets a comment, at the latest after twice as many; a stream without an event gets its first comment after at most 10",
    shown: "15",
  },
  mediaType: {
    default: undefined,
    about: "the media type of HTTP+JSON responses that are not streams",
    shown: "chosen by version and `Accept`",
  },
  requireExtensionsOn: {
    default: "send",
    about:
      'operations that refuse callers without a required extension: `"send"`, or `"all"` except the one for the card',
    shown: '`"send"`',
  },
} as const satisfies { readonly [Name in keyof ServerOptions]-?: OptionRow<ServerOptions[Name]> };

/**
 * Checks options and adds their defaults.
 * @throws TypeError that names the invalid option
 */
export function resolveServerOptions(options: ServerOptions): ServerSettings {
  assertObject(options, 'A server needs options, such as { cors: "*" }, or none');
  checkNames(options, optionRows);
  checkValues(options);
  checkNames(options.paths ?? {}, optionRows.paths.default, "paths");
  const { store, logger, publicUrl, paths, versions, limits, ...others } = addDefaults(options);
  const settings: Omit<ServerSettings, "hookTimeout"> = {
    ...others,
    cors: isAnyOrigin(others.cors) ? true : others.cors,
    store: store ?? new MemoryStore(),
    logger: logger === false ? silent : (logger ?? stderrLogger()),
    publicUrl: publicUrl === undefined ? undefined : baseOf(publicUrl),
    jsonRpcPaths: [paths.jsonRpc ?? optionRows.paths.default.jsonRpc].flat(),
    httpJsonPath: paths.httpJson ?? optionRows.paths.default.httpJson,
    versions: versions && [...new Set(versions.map(versionName))],
    // A proxy opens the connections of all callers from its own address.
    limits: resolveLimits({
      ...(others.trustProxy && { connectionsPerAddress: Number.POSITIVE_INFINITY }),
      ...limits,
    }),
  };
  check(settings);
  return { ...settings, ...guardedHooks(settings) };
}

type Defaults = typeof optionRows;

/** Options in which only those without a default can be undefined. */
type Settled = {
  readonly [Name in keyof Defaults]: undefined extends Defaults[Name]["default"]
    ? ServerOptions[Name] | undefined
    : NonNullable<ServerOptions[Name]>;
};

function addDefaults(options: ServerOptions): Settled {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const settled = Object.entries(optionRows).map(([name, row]) => [name, given[name] ?? row.default]);
  return Object.fromEntries(settled) as Settled;
}

function isAnyOrigin(cors: ServerOptions["cors"]): cors is true | "*" {
  return cors === true || [cors].flat().includes("*");
}

function check(settings: Omit<ServerSettings, "hookTimeout">): void {
  const { bindings: names, versions, jsonRpcPaths, httpJsonPath, heartbeat, cardMaxAge } = settings;
  checkAuthOptions(settings.auth);
  checkStore(settings.store);
  if (names.length === 0) throw new TypeError("bindings: name at least one");
  for (const name of names)
    if (name !== "GRPC" && !Object.hasOwn(bindings, name))
      throw new TypeError(`bindings: "${name}" is not supported`);
  if (versions?.length === 0) throw new TypeError("versions: name at least one");
  for (const version of versions ?? []) {
    if (!servableVersions.has(version))
      throw new TypeError(`versions: ${version} is not one of ${[...servableVersions.keys()].join(", ")}`);
  }
  for (const path of [...jsonRpcPaths, httpJsonPath]) checkPath("paths", path);
  if (!(settings.leaseTime > 0)) throw new TypeError("leaseTime must be a positive number");
  if (!(heartbeat > 0)) throw new TypeError("heartbeat must be a positive number");
  checkRateLimit(settings.rateLimit);
  const { allow, read } = settings.metrics ?? { allow: "everyone", read: () => "" };
  if (typeof read !== "function")
    throw new TypeError("metrics.read must be a function, such as `read` of openPrometheus()");
  if (allow !== "everyone" && typeof allow !== "function")
    throw new TypeError('metrics.allow must be a function, or "everyone"');
  if (!(Number.isInteger(cardMaxAge) && cardMaxAge >= 0))
    throw new TypeError("cardMaxAge must be a whole number of seconds");
}

function checkNames(...given: Parameters<typeof unknownName>): void {
  const unknown = unknownName(...given);
  if (unknown !== undefined) throw new TypeError(unknown);
}

/** @throws TypeError for a value that is not a store, such as the URL of a database */
function checkStore(store: unknown): void {
  if (typeof store === "object" && store !== null && "append" in store) return;
  const found = typeof store === "object" ? "an object without `append`" : written(store);
  throw new TypeError(
    `store: ${found} is not a task store. Use new SqliteStore({ file: "tasks.db" }) of a2a-parley/stores/sqlite, await PostgresStore.open({ url }) of a2a-parley/stores/postgres, or await LibsqlStore.open({ url }) of a2a-parley/stores/libsql`,
  );
}

function written(value: unknown): string {
  return typeof value === "function" ? `the class ${value.name}` : JSON.stringify(value);
}

const PATH = /^\/$|^(\/[\w.~-]+)+$/;

/** @throws TypeError for a path with anything but segments of letters, digits, `.`, `_`, `~` and `-` */
export function checkPath(option: string, path: string): void {
  if (!PATH.test(path)) throw new TypeError(`${option}: "${path}" must look like "/" or "/name/name"`);
}

function baseOf(publicUrl: string): string {
  const url = parseUrl(publicUrl);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new TypeError(`publicUrl: "${publicUrl}" must be an absolute http or https URL`);
  }
  return url.href.replace(/\/+$/, "");
}
