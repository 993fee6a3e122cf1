import { LONGEST_TIMEOUT } from "../async/clock.js";
import { callHook, type HookTimeout } from "../async/hook.js";
import { BoundedMap } from "../collections/bounded-map.js";
import { unknownName } from "../json/unknown-name.js";
import { networkOf } from "../net/network-of.js";
import type { Principal } from "../protocol/call-context.js";
import { A2AError } from "../protocol/errors.js";
import type { Logger } from "../protocol/logger.js";
import type { HostRequest } from "./host.js";
import { callerKey } from "./quota.js";

/** Maximum number of requests of a caller in a period. Each process counts by itself. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * A limiter of the package `rate-limiter-flexible`, or an object with the same method: for limits that several processes share, or that
 * follow other rules.
 */
export interface RateLimiter {
  /**
   * Counts a request.
   * @param key of the caller, or of an address whose requests are refused
   * @returns a promise that rejects with an object with the number `msBeforeNext` when the caller has sent too many requests, and with an
   *   Error when the limiter fails. Then the request is admitted
   */
  consume(key: string): Promise<unknown>;
}

/** Identifies the caller of a request. */
type Identify = (request: HostRequest) => Promise<Principal>;

/** Maximum number of blocked addresses. */
const MAX_BLOCKED = 10_000;

/**
 * Refuses callers that send too many requests, and addresses that send too many requests that are refused before their caller is known, for
 * example for wrong credentials. Requests of such an address are refused before their body is read. If the limiter fails, requests are
 * admitted, so that the agents do not depend on it.
 */
export class RateLimits {
  readonly #limiter: Promise<RateLimiter>;
  readonly #logger: Logger;
  readonly #hookTimeout: HookTimeout | undefined;
  /** The time until which each address is blocked, in milliseconds since 1970. */
  readonly #blocked = new BoundedMap<string, number>(MAX_BLOCKED);
  /** Requests that were counted, or must not be counted. */
  readonly #counted = new WeakSet<HostRequest>();

  /** @param hookTimeout maximum time to wait for a limiter; without it there is no limit */
  constructor(option: RateLimit | RateLimiter, logger: Logger, hookTimeout?: HookTimeout) {
    this.#logger = logger;
    this.#hookTimeout = hookTimeout;
    this.#limiter = "consume" in option ? Promise.resolve(option) : counting(option);
    // A rejection is reported by the calls that await the limiter.
    this.#limiter.catch(() => undefined);
  }

  /**
   * Identifies the caller of a request, and counts the request.
   * @throws A2AError RATE_LIMITED, and the errors of `authenticate`
   */
  async admit(request: HostRequest, authenticate: Identify | undefined): Promise<Principal> {
    const principal = await this.#identify(request, authenticate);
    this.#counted.add(request);
    const wait = await this.#consume(callerKey({ principal, address: request.address }));
    if (wait > 0) throw refusal(wait);
    return principal;
  }

  async #identify(request: HostRequest, authenticate: Identify | undefined): Promise<Principal> {
    if (authenticate === undefined) return request.principal;
    try {
      return await authenticate(request);
    } catch (thrown) {
      if (A2AError.from(thrown).code === "UNAUTHENTICATED") await this.countRefused(request);
      else this.#counted.add(request);
      throw thrown;
    }
  }

  /**
   * Checks that the address of a request is not blocked. Called before the request is read.
   * @throws A2AError RATE_LIMITED
   */
  checkAddress(request: HostRequest): void {
    if (this.#blocked.size === 0) return;
    const address = networkOf(request.address);
    const until = this.#blocked.get(address);
    if (until === undefined) return;
    const wait = until - Date.now();
    if (wait <= 0) this.#blocked.delete(address);
    else {
      this.#counted.add(request);
      throw refusal(wait);
    }
  }

  /** Counts a request that was refused before its caller was known, by its address. A request is counted once. */
  async countRefused(request: HostRequest): Promise<void> {
    if (this.#counted.has(request)) return;
    this.#counted.add(request);
    const address = networkOf(request.address);
    const wait = await this.#consume(`refused ${address}`);
    if (wait > 0) this.#block(address, Date.now() + wait);
  }

  #block(address: string, until: number): void {
    if (!this.#blocked.has(address))
      this.#logger.warn({ address }, "An address has sent too many requests that were refused");
    this.#blocked.set(address, until);
  }

  /** @returns milliseconds to wait; 0 for none */
  async #consume(key: string): Promise<number> {
    const call = async () => {
      await (await this.#limiter).consume(key);
      return 0;
    };
    return callHook<number>({ call, hookTimeout: this.#hookTimeout }, (err, thrown) => {
      const wait = waitIn(thrown);
      if (wait !== undefined) return wait;
      this.#logger.error({ err }, "The rate limiter failed; requests are admitted without being counted");
      return 0;
    });
  }
}

/** The milliseconds to wait in the reason of a rejection; undefined if the reason has none. */
function waitIn(thrown: unknown): number | undefined {
  try {
    const { msBeforeNext } = Object(thrown) as { msBeforeNext?: unknown };
    return typeof msBeforeNext === "number" ? Math.max(msBeforeNext, 1) : undefined;
  } catch {
    return undefined;
  }
}

function refusal(milliseconds: number): A2AError {
  return new A2AError("RATE_LIMITED", undefined, { retryAfter: milliseconds / 1000 });
}

async function counting({ requests, seconds }: RateLimit): Promise<RateLimiter> {
  // Imported only when it is used, because it contains adapters for many databases.
  const { RateLimiterMemory } = await import("rate-limiter-flexible");
  return new RateLimiterMemory({ points: requests, duration: seconds });
}

/** @throws TypeError that names the invalid member */
export function checkRateLimit(option: RateLimit | RateLimiter | undefined): void {
  if (option === undefined || "consume" in option) return;
  const unknown = unknownName(option, { requests: true, seconds: true }, "rateLimit");
  if (unknown !== undefined) throw new TypeError(unknown);
  const { requests, seconds } = option;
  if (!(Number.isInteger(requests) && requests > 0))
    throw new TypeError("rateLimit.requests must be a positive whole number");
  // A timer resets the counts. A timer of a longer period would fire at once.
  const longest = Math.floor(LONGEST_TIMEOUT / 1000);
  if (!(seconds > 0 && seconds <= longest))
    throw new TypeError(`rateLimit.seconds must be a positive number up to ${longest}`);
}
