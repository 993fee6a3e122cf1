import type { SkillMap } from "../agent/skills/contract.js";
import { parseUrl } from "../net/parse-url.js";
import { type Logger, silent } from "../protocol/logger.js";
import { versionName } from "../versions/version.js";
import type { Credentials } from "./auth/credentials.js";
import type { Backoff, Intervals } from "./backoff.js";
import type { CardCache } from "./card/card-cache.js";
import type { SignaturePolicy } from "./card/resolve-card.js";
import { ClientError } from "./client-error.js";
import type { TimeLimits } from "./deadline.js";
import type { Fetch } from "./exchange.js";
import type { Interceptor } from "./interceptor.js";
import type { ClientExtension, HeaderFields } from "./service-parameters.js";
import type { BindingName } from "./transports/transport.js";

/** Sizes beyond which nothing is read. */
export interface SizeLimits {
  /** Bytes of an agent card, the extended one too; 1 MiB by default. */
  readonly card?: number;
  /** Bytes of an answer; 32 MiB by default. */
  readonly answer?: number;
  /** Characters of one line and of one event of a stream; 16 Mi by default. */
  readonly event?: number;
  /** Values in an answer or event, counted by objects, lists and commas; 1,000,000 by default. */
  readonly values?: number;
  /** Characters of the artifacts, messages and metadata that a stream brings of one task, as JSON; 32 Mi by default. */
  readonly task?: number;
}

/** How agents are called. Everything has a default. */
export interface ConnectOptions<Skills extends SkillMap = SkillMap> {
  /** Bindings to use, the preferred one first; all of them by default, in the order of the card. */
  readonly bindings?: readonly BindingName[];
  /**
   * Protocol versions to use, `Major.Minor` or `0.1-flat`, the preferred one first; all of them by default, in the order of the
   * card.
   */
  readonly versions?: readonly string[];
  /** Oldest protocol version to use (§3.6.3). */
  readonly minVersion?: string;
  /** Credentials for the security schemes of the card. */
  readonly credentials?: Credentials;
  /** Headers of every request. The protocol's own cannot be overwritten. */
  readonly headers?: HeaderFields;
  /**
   * Origins that may have the credentials and headers, besides that of the agent's URL. With a card in the place of a URL
   * these only: a card does not decide who may have them (§13.4).
   */
  readonly origins?: readonly string[];
  /** Extensions to ask for in every call; those that the card requires must be among them (§3.3.4). */
  readonly extensions?: readonly (string | ClientExtension)[];
  /** Contracts of the agent's skills, as `parley codegen` writes them: they type `client.skill` and check what goes through it. */
  readonly skills?: Skills;
  /** Trust only cards that are signed like this. */
  readonly signatures?: SignaturePolicy;
  /** Keeps cards between `connect` calls. */
  readonly cache?: CardCache;
  /** In the place of the platform's `fetch`: the one of a `UrlGuard` (`a2a-parley/push`) for servers that are given URLs. */
  readonly fetch?: Fetch;
  /** Seconds; by default `connect` 30, `idle` 60, `event` 3600, `total` 300. */
  readonly timeouts?: TimeLimits;
  readonly limits?: SizeLimits;
  /** Repetitions of calls that may be repeated (§3.3.1); false for none. By default 2, after 0.5 s and more. */
  readonly retry?: Partial<Backoff> | false;
  /** How streams come back after a cut; false ends them with the cut. By default 8 attempts, after 0.25 s and more. */
  readonly resume?: Partial<Backoff> | false;
  /** Seconds between questions after a task that cannot be followed: from `first` growing to `longest`; 0.5 and 15 by default. */
  readonly polling?: Partial<Intervals>;
  readonly interceptors?: readonly Interceptor[];
  /** Put up with answers that break the contract: they are logged as warnings and handed on as they could be read. */
  readonly lenient?: boolean;
  /** False leaves it to the agent to refuse what its card does not declare (§3.3.4). */
  readonly localChecks?: boolean;
  /** Send messages to one task one after the other, each when the one before is answered (§3.4.3). */
  readonly oneSendPerTask?: boolean;
  readonly logger?: Logger;
  /** Ends the search for the card. Calls have signals of their own. */
  readonly signal?: AbortSignal;
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Seconds for the call as a whole, in the place of the client's `total`. */
  readonly timeout?: number;
  readonly headers?: HeaderFields;
  /** Extensions to ask for besides the client's. */
  readonly extensions?: readonly string[];
  /** Says that the agent recognises a repeated message, so that a send whose fate is unknown is sent again (§3.3.1). */
  readonly safeToRepeat?: boolean;
  /** What a stream does behind a gap: go on and say so (default), or fail with STREAM_GAP. */
  readonly onGap?: "report" | "throw";
  /**
   * Where the agent does not stream, let a streaming send fall back to a plain one, and a subscription to asking for the task at
   * intervals.
   */
  readonly fallback?: boolean;
}

/** Options with nothing left open. */
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
  readonly timeouts: Required<TimeLimits>;
  readonly limits: Required<SizeLimits>;
  readonly retry: Backoff | undefined;
  readonly resume: Backoff | undefined;
  readonly polling: Intervals;
  readonly interceptors: readonly Interceptor[];
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
 * Fills in defaults and looks at what was given.
 * @throws ClientError INVALID_OPTION naming the option
 */
export function settleClient(options: ConnectOptions): ClientSettings {
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
    // Called without `this`, as the platform wants it.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    limits: { ...LIMITS, ...options.limits },
    retry: options.retry === false ? undefined : { ...RETRY, ...options.retry },
    resume: options.resume === false ? undefined : { ...RESUME, ...options.resume },
    polling: { ...POLLING, ...options.polling },
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

function checkNumbers(option: string, numbers: object): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!(typeof value === "number" && value >= 0)) {
      throw new ClientError("INVALID_OPTION", `${option}.${name} must be a number that is not negative`);
    }
  }
}

function originOf(text: string): string {
  if (parseUrl(text) === undefined)
    throw new ClientError("INVALID_OPTION", `origins: "${text}" is no origin`);
  return new URL(text).origin;
}
