import type { SkillMap } from "../agent/skills/contract.js";
import { type Complete, type Optional, omitUndefined } from "../json/omit.js";
import { parseUrl } from "../net/parse-url.js";
import { type Logger, silent } from "../protocol/logger.js";
import type { BindingName } from "../protocol/operations.js";
import type { ClientVersion } from "../versions/client-codecs.js";
import { versionName } from "../versions/version.js";
import type { Credentials } from "./auth/credentials.js";
import type { Backoff, Intervals } from "./backoff.js";
import type { CardCache } from "./card/card-cache.js";
import type { SignaturePolicy } from "./card/resolve-card.js";
import { ClientError } from "./client-error.js";
import type { TimeLimits } from "./deadline.js";
import type { Fetch } from "./exchange.js";
import type { ClientInterceptor } from "./interceptor.js";
import type { ClientExtension, HeaderFields } from "./service-parameters.js";

/** Size limits; reading stops beyond them. */
export interface SizeLimits {
  /** Bytes of an agent card, including the extended one; 1 MiB by default. */
  readonly card?: number | undefined;
  /** Bytes of an answer; 32 MiB by default. */
  readonly answer?: number | undefined;
  /** Characters of one line and of one event of a stream; 16 Mi by default. */
  readonly event?: number | undefined;
  /** Values in an answer or event, counted by objects, lists and commas; 1,000,000 by default. */
  readonly values?: number | undefined;
  /** Characters of the artifacts, messages and metadata of one task in a stream, as JSON; 32 Mi by default. */
  readonly task?: number | undefined;
}

/**
 * Options of {@link connect}. All of them are optional.
 *
 * @example
 * ```ts
 * const client = await connect(url, { minVersion: "1.0", timeouts: { total: 60 } });
 * ```
 */
export interface ConnectOptions<Skills extends SkillMap = SkillMap> {
  /**
   * Bindings to use, in order of preference; by default all, in the order of the card.
   * @example `connect(url, { bindings: ["HTTP+JSON"] })`
   */
  readonly bindings?: readonly BindingName[] | undefined;
  /**
   * Protocol versions to use, in order of preference; by default all, in the order of the
   * card.
   * @example `connect(url, { versions: ["1.0", "0.3"] })`
   */
  readonly versions?: readonly ClientVersion[] | undefined;
  /**
   * Oldest protocol version to use (§3.6.3).
   * @example `connect(url, { minVersion: "0.3" })`
   */
  readonly minVersion?: string | undefined;
  /**
   * Credentials for the security schemes of the card, by the names of the schemes.
   * @example `connect(url, { credentials: { bearer: token } })`
   */
  readonly credentials?: Credentials | undefined;
  /**
   * Headers of every request. The protocol's own headers cannot be overridden.
   * @example `connect(url, { headers: { "X-Team": "planning" } })`
   */
  readonly headers?: HeaderFields | undefined;
  /**
   * Origins, besides that of the agent's URL, that may receive credentials and headers. With a card instead of a URL
   * these are the only ones: a card cannot grant that (§13.4).
   * @example `connect(card, { credentials, origins: ["https://agent.example.com"] })`
   */
  readonly origins?: readonly string[] | undefined;
  /**
   * Extensions to request in every call; they must include those that the card requires (§3.3.4).
   * @example `connect(url, { extensions: ["https://example.com/extensions/citations/v1"] })`
   */
  readonly extensions?: readonly (string | ClientExtension)[] | undefined;
  /**
   * Contracts of the agent's skills: as `parley codegen` writes them, or schemas of zod, valibot, ArkType or JSON Schema
   * by skill id. They type `client.skill` and validate its data. `"card"` validates by the schemas in the agent's card.
   *
   * @example
   * ```ts
   * const client = await connect(url, { skills }); // `skills` from the generated file
   * const { output } = await client.skill("quote").call({ kind: "boat", amount: 100 });
   * ```
   */
  readonly skills?: Skills | "card" | undefined;
  /**
   * Accept only cards with valid signatures (§8.4.3).
   * @example `connect(url, { signatures: { keySets: { hosts: ["agent.example.com"] } } })`
   */
  readonly signatures?: SignaturePolicy | undefined;
  /**
   * Caches cards between `connect` calls.
   *
   * @example
   * ```ts
   * const cache = new CardCache();
   * const client = await connect(url, { cache });
   * ```
   */
  readonly cache?: CardCache | undefined;
  /**
   * Replaces the platform's `fetch`: use that of a `UrlGuard` (`a2a-parley/push`) in servers that receive URLs from
   * callers.
   * @example `connect(url, { fetch: new UrlGuard().fetch })`
   */
  readonly fetch?: Fetch | undefined;
  /**
   * Time limits in seconds; by default `connect` 30, `idle` 60, `event` 3600, `total` 300.
   * @example `connect(url, { timeouts: { connect: 5, total: 60 } })`
   */
  readonly timeouts?: TimeLimits | undefined;
  /**
   * Size limits on cards, answers and streams.
   * @example `connect(url, { limits: { answer: 4 * 1024 * 1024 } })`
   */
  readonly limits?: SizeLimits | undefined;
  /**
   * Retries of repeatable calls (§3.3.1); false for none. By default 2, the first after 0.5 s.
   * @example `connect(url, { retry: { attempts: 5, first: 0.2 } })`
   */
  readonly retry?: Optional<Backoff> | false | undefined;
  /**
   * How cut streams reconnect; false ends them instead. By default 8 attempts, the first after 0.25 s.
   * @example `connect(url, { resume: { attempts: 20, longest: 30 } })`
   */
  readonly resume?: Optional<Backoff> | false | undefined;
  /**
   * Polling interval in seconds for tasks without a stream, growing from `first` to `longest`; 0.5 and 15 by default.
   * @example `connect(url, { polling: { first: 1, longest: 60 } })`
   */
  readonly polling?: Optional<Intervals> | undefined;
  /**
   * Interceptors of every operation, the outermost first.
   * @example `connect(url, { interceptors: [{ before: ({ operation }) => console.log(operation) }] })`
   */
  readonly interceptors?: readonly ClientInterceptor[] | undefined;
  /**
   * Tolerate invalid answers: they are logged as warnings and returned as far as they can be read.
   * @example `connect(url, { lenient: true, logger: console })`
   */
  readonly lenient?: boolean | undefined;
  /**
   * False sends calls that the agent's card does not declare; the agent then refuses them (§3.3.4).
   * @example `connect(url, { localChecks: false })`
   */
  readonly localChecks?: boolean | undefined;
  /**
   * Send messages to one task one after the other, each after the previous one is answered (§3.4.3).
   * @example `connect(url, { oneSendPerTask: true })`
   */
  readonly oneSendPerTask?: boolean | undefined;
  /**
   * Receives warnings, for example about invalid answers in lenient mode; silent by default.
   * @example `connect(url, { logger: pino() })`
   */
  readonly logger?: Logger | undefined;
  /**
   * Aborts the search for the card. Calls have signals of their own.
   * @example `connect(url, { signal: AbortSignal.timeout(5000) })`
   */
  readonly signal?: AbortSignal | undefined;
}

/** The name of every option. */
const optionNames: Readonly<Record<keyof ConnectOptions, true>> = {
  ...{ bindings: true, versions: true, minVersion: true, credentials: true, headers: true, origins: true },
  ...{ extensions: true, skills: true, signatures: true, cache: true, fetch: true, timeouts: true },
  ...{ retry: true, resume: true, polling: true, interceptors: true, lenient: true, localChecks: true },
  ...{ limits: true, oneSendPerTask: true, logger: true, signal: true },
};

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Seconds for the whole call, instead of the client's `total`. */
  readonly timeout?: number | undefined;
  readonly headers?: HeaderFields | undefined;
  /** Extensions to request in addition to the client's. */
  readonly extensions?: readonly string[] | undefined;
  /** Declares that the agent deduplicates messages, so that a send with an unknown result may be retried (§3.3.1). */
  readonly safeToRepeat?: boolean | undefined;
  /** What a stream does after a gap: continue and report it (default), or fail with STREAM_GAP. */
  readonly onGap?: "report" | "throw" | undefined;
  /** For an agent that does not stream: replace a streaming send with a plain one, and a subscription with polling. */
  readonly fallback?: boolean | undefined;
}

/** Complete options. */
export interface ClientSettings {
  readonly bindings: readonly BindingName[] | undefined;
  readonly versions: readonly string[] | undefined;
  readonly minVersion: string | undefined;
  readonly credentials: Credentials | undefined;
  readonly headers: HeaderFields;
  readonly origins: readonly string[];
  readonly extensions: readonly (string | ClientExtension)[];
  readonly signatures: SignaturePolicy | undefined;
  readonly cache: CardCache | undefined;
  readonly fetch: Fetch;
  readonly timeouts: Complete<TimeLimits>;
  readonly limits: Complete<SizeLimits>;
  readonly retry: Backoff | undefined;
  readonly resume: Backoff | undefined;
  readonly polling: Intervals;
  readonly interceptors: readonly ClientInterceptor[];
  readonly lenient: boolean;
  readonly localChecks: boolean;
  readonly oneSendPerTask: boolean;
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
}

const MIB = 1024 * 1024;
const TIMEOUTS = { connect: 30, idle: 60, event: 3600, total: 300 };
const LIMITS = { card: MIB, answer: 32 * MIB, event: 16 * MIB, values: 1_000_000, task: 32 * MIB };
const RETRY: Backoff = { first: 0.5, longest: 10, attempts: 2 };
const RESUME: Backoff = { first: 0.25, longest: 10, attempts: 8 };
const POLLING: Intervals = { first: 0.5, longest: 15 };

/**
 * Checks that all options exist. What finds the nearest name is loaded for an error only.
 * @throws ClientError INVALID_OPTION naming the option and the nearest name
 */
export async function demandKnownOptions(options: ConnectOptions): Promise<void> {
  const groups: [given: object, known: object, option?: string][] = [
    [options, optionNames],
    [options.timeouts ?? {}, TIMEOUTS, "timeouts"],
    [options.limits ?? {}, LIMITS, "limits"],
    [options.retry || {}, RETRY, "retry"],
    [options.resume || {}, RESUME, "resume"],
    [options.polling ?? {}, POLLING, "polling"],
  ];
  for (const [given, known, option] of groups) {
    if (Object.keys(given).every((name) => Object.hasOwn(known, name))) continue;
    const { unknownName } = await import("../json/unknown-name.js");
    throw new ClientError("INVALID_OPTION", unknownName(given, known, option) ?? "");
  }
}

/**
 * Adds defaults and validates the values of options.
 * @throws ClientError INVALID_OPTION naming the option
 */
export function resolveClientOptions(options: ConnectOptions): ClientSettings {
  const settings: ClientSettings = {
    bindings: options.bindings,
    versions: options.versions?.map(versionName),
    minVersion: options.minVersion,
    credentials: options.credentials,
    headers: options.headers ?? {},
    origins: (options.origins ?? []).map(originOf),
    extensions: options.extensions ?? [],
    signatures: options.signatures,
    cache: options.cache,
    // The platform requires a call without `this`.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeouts: withGiven(TIMEOUTS, options.timeouts),
    limits: withGiven(LIMITS, options.limits),
    retry: options.retry === false ? undefined : withGiven(RETRY, options.retry),
    resume: options.resume === false ? undefined : withGiven(RESUME, options.resume),
    polling: withGiven(POLLING, options.polling),
    interceptors: options.interceptors ?? [],
    lenient: options.lenient ?? false,
    localChecks: options.localChecks ?? true,
    oneSendPerTask: options.oneSendPerTask ?? false,
    logger: options.logger ?? silent,
    signal: options.signal,
  };
  checkNumbers("timeouts", settings.timeouts);
  checkNumbers("limits", settings.limits);
  checkNumbers("retry", settings.retry ?? {});
  checkNumbers("resume", settings.resume ?? {});
  checkNumbers("polling", settings.polling);
  return settings;
}

function withGiven<T extends object>(defaults: T, given: Optional<T> | undefined): T {
  return { ...defaults, ...omitUndefined(given ?? {}) };
}

function checkNumbers(option: string, numbers: object): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!(typeof value === "number" && value >= 0)) {
      throw new ClientError("INVALID_OPTION", `${option}.${name} must be a number of at least 0`);
    }
  }
}

function originOf(text: string): string {
  if (parseUrl(text) === undefined)
    throw new ClientError("INVALID_OPTION", `origins: "${text}" is not an origin`);
  return new URL(text).origin;
}
