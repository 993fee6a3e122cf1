import { type AuthOptions, checkAuthOptions } from "../auth/auth-options.js";
import type { CardKey } from "../card/sign-card.js";
import { parseUrl } from "../net/parse-url.js";
import type { AuditEvent } from "../observability/audit-event.js";
import { stderrLogger } from "../observability/stderr-logger.js";
import type { Telemetry } from "../observability/telemetry.js";
import { type Logger, silent } from "../protocol/logger.js";
import type { PushOptions } from "../push/options.js";
import { MemoryStore } from "../stores/memory.js";
import type { TaskStore } from "../stores/task-store.js";
import { defaultVersions, servableVersions } from "../versions/codecs.js";
import { versionName } from "../versions/version.js";
import { type BindingName, bindings } from "./bindings/bindings.js";
import { type GuardedHooks, guardedHooks } from "./guarded-hooks.js";
import type { Interceptor } from "./interceptors/interceptor.js";
import { type Limits, settleLimits } from "./limits.js";
import { checkRateLimit, type RateLimit, type RateLimiter } from "./rate-limits.js";

/** How agents are served. Everything has a default. */
export interface ServerOptions {
  /** Where tasks live; memory by default. Agents that share a store do not see each other's tasks. */
  readonly store?: TaskStore;
  /**
   * Seconds for which other processes that share the store leave the work of this one alone when it is not heard of; 15 by
   * default. Behind that its tasks and webhooks are taken over.
   */
  readonly leaseTime?: number;
  /**
   * Receives what an operator should know. By default warnings and errors are written to stderr, with the cause and the stack of an
   * executor that threw; false writes nothing. What callers see is not affected.
   *
   * @example
   * ```ts
   * serve(agent, { logger: pino() });
   * ```
   */
  readonly logger?: Logger | false;
  /**
   * Absolute URL under which callers reach the server, as cards show it. By default the address that `serve` listens on; an
   * app that is mounted elsewhere takes it from the `Host` of each request.
   */
  readonly publicUrl?: string;
  /** Believe `Forwarded` and `X-Forwarded-*`. Only behind a proxy that sets them; off by default. */
  readonly trustProxy?: boolean;
  /** Where the bindings are, relative to the agent; both at `/` by default. The first JSON-RPC path is the one in the card. */
  readonly paths?: { readonly jsonRpc?: string | readonly string[]; readonly httpJson?: string };
  /** Bindings to serve, the preferred one first; all of them by default. */
  readonly bindings?: readonly BindingName[];
  /**
   * Protocol versions to serve, `Major.Minor` or `0.1-flat`, the preferred one first; by default the newest, and those of its major
   * version before it.
   */
  readonly versions?: readonly string[];
  /** Take the version from method name or path when a request names none. Off by default. */
  readonly inferVersion?: boolean;
  /** Operations on which required extensions are demanded: the two sends (default), or all but the card's. */
  readonly requireExtensionsOn?: "send" | "all";
  /** One media type for every HTTP+JSON answer, instead of the choice by `Accept`. */
  readonly mediaType?: string;
  readonly limits?: Limits;
  /** Requests that a caller may send in a time, or what decides on it; any number by default. */
  readonly rateLimit?: RateLimit | RateLimiter;
  /** Put around every operation of every agent, the first one outermost; behind the limits. */
  readonly interceptors?: readonly Interceptor[];
  /** Told of spans and measurements; see `a2a-parley/opentelemetry`. */
  readonly telemetry?: Telemetry;
  /** Told of tasks that are made or change their state, of callers who are turned away, and of webhooks that are called. */
  readonly audit?: (event: AuditEvent) => void;
  /**
   * What becomes of executors when the server closes: they are told to stop once open answers have left (default), or they may
   * finish first, within the same grace.
   */
  readonly whenClosing?: "abort" | "finish";
  /** Who may call, and what they may touch. Nobody is asked, unless the card says so. */
  readonly auth?: AuthOptions;
  /** Push notifications: on when this is given, also when it is `{}`. The store has to keep push configs, as those of this package do. */
  readonly push?: PushOptions;
  /** Origins whose pages may call the operations: a list, or true for any; none by default. Cards are open to all. */
  readonly cors?: true | readonly string[];
  /**
   * Seconds of silence after which an open stream gets a comment; 15 by default. A stream without an event begins with a comment
   * after that time, and after 10 at most.
   */
  readonly heartbeat?: number;
  /**
   * Show the OpenAPI document of each agent at `/docs`, below its path. Needs the package `swagger-ui-dist`, which is served from
   * where it is installed; off by default.
   */
  readonly docs?: boolean;
  /** Seconds for which a card may be cached; 300 by default. */
  readonly cardMaxAge?: number;
  /** Keys that sign the public cards; two of them while keys are rotated. Needs an address that is known at start. */
  readonly cardKeys?: readonly CardKey[];
}

/** Options with nothing left open. */
export interface ServerSettings extends GuardedHooks {
  readonly store: TaskStore;
  readonly leaseTime: number;
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  readonly jsonRpcPaths: readonly string[];
  readonly httpJsonPath: string;
  readonly bindings: readonly BindingName[];
  readonly versions: readonly string[];
  readonly inferVersion: boolean;
  readonly requireExtensionsOn: "send" | "all";
  readonly mediaType: string | undefined;
  readonly limits: Required<Limits>;
  readonly rateLimit: RateLimit | RateLimiter | undefined;
  readonly whenClosing: "abort" | "finish";
  readonly push: PushOptions | undefined;
  readonly cors: true | readonly string[];
  readonly heartbeat: number;
  readonly docs: boolean;
  readonly cardMaxAge: number;
  readonly cardKeys: readonly CardKey[];
}

/**
 * Fills in defaults and looks at what was given.
 * @throws TypeError naming the option that cannot be right
 */
export function settleServer(options: ServerOptions): ServerSettings {
  const { paths = {} } = options;
  const jsonRpcPaths = [paths.jsonRpc ?? "/"].flat();
  const settings: Omit<ServerSettings, "patience"> = {
    store: options.store ?? new MemoryStore(),
    leaseTime: options.leaseTime ?? 15,
    logger: options.logger === false ? silent : (options.logger ?? stderrLogger()),
    publicUrl: options.publicUrl === undefined ? undefined : baseOf(options.publicUrl),
    trustProxy: options.trustProxy ?? false,
    jsonRpcPaths,
    httpJsonPath: paths.httpJson ?? "/",
    bindings: options.bindings ?? (Object.keys(bindings) as BindingName[]),
    versions: [...new Set((options.versions ?? defaultVersions).map(versionName))],
    inferVersion: options.inferVersion ?? false,
    requireExtensionsOn: options.requireExtensionsOn ?? "send",
    mediaType: options.mediaType,
    // A proxy has the connections of all callers.
    limits: settleLimits({
      ...(options.trustProxy && { connectionsPerAddress: Number.POSITIVE_INFINITY }),
      ...options.limits,
    }),
    rateLimit: options.rateLimit,
    interceptors: options.interceptors ?? [],
    telemetry: options.telemetry,
    audit: options.audit,
    whenClosing: options.whenClosing ?? "abort",
    auth: options.auth ?? {},
    push: options.push,
    cors: options.cors ?? [],
    heartbeat: options.heartbeat ?? 15,
    docs: options.docs ?? false,
    cardMaxAge: options.cardMaxAge ?? 300,
    cardKeys: options.cardKeys ?? [],
  };
  check(settings);
  return { ...settings, ...guardedHooks(settings) };
}

function check(settings: Omit<ServerSettings, "patience">): void {
  const { bindings: names, versions, jsonRpcPaths, httpJsonPath, heartbeat, cardMaxAge } = settings;
  checkAuthOptions(settings.auth);
  if (names.length === 0) throw new TypeError("bindings: name at least one");
  for (const name of names)
    if (!Object.hasOwn(bindings, name)) throw new TypeError(`bindings: there is no ${name}`);
  if (versions.length === 0) throw new TypeError("versions: name at least one");
  for (const version of versions) {
    if (!servableVersions.has(version))
      throw new TypeError(`versions: ${version} is not one of ${[...servableVersions.keys()].join(", ")}`);
  }
  for (const path of [...jsonRpcPaths, httpJsonPath]) checkPath("paths", path);
  if (!(settings.leaseTime > 0)) throw new TypeError("leaseTime must be a positive number");
  if (!(heartbeat > 0)) throw new TypeError("heartbeat must be a positive number");
  checkRateLimit(settings.rateLimit);
  if (!(Number.isInteger(cardMaxAge) && cardMaxAge >= 0))
    throw new TypeError("cardMaxAge must be whole seconds");
}

const PATH = /^\/$|^(\/[\w.~-]+)+$/;

/** @throws TypeError when a path of the application is no plain path */
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
