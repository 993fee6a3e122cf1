import { LONGEST_TIMEOUT } from "../async/clock.js";
import { callHook, type HookTimeout } from "../async/hook.js";
import { BoundedMap } from "../collections/bounded-map.js";
import { networkOf } from "../net/network-of.js";
import type { Principal } from "../protocol/call-context.js";
import { A2AError } from "../protocol/errors.js";
import type { Logger } from "../protocol/logger.js";
import type { HostRequest } from "./host.js";
import { callerKey } from "./quota.js";

/** How many requests a caller may send in a time, counted in this process. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * A limiter of the package `rate-limiter-flexible`, or what behaves like one: for limits that several processes share, or that
 * have other rules.
 */
export interface RateLimiter {
  /**
   * Counts a request.
   * @param key of the caller
   * @returns rejects with an object that holds `msBeforeNext` when there were too many, and with an Error when it cannot tell
   */
  consume(key: string): Promise<unknown>;
}

/** Finds out who sends a request. */
type Identify = (request: HostRequest) => Promise<Principal>;

/** Addresses that are refused for a time; more than this are not remembered. */
const MAX_BLOCKED = 10_000;

/**
 * Refuses callers who send too many requests, and addresses that send too many for which no caller is known: with wrong
 * credentials, or refused before credentials are looked at. Such an address is refused before anything of a request is read. A
 * limiter that fails lets every request in: it must not take the agents down with it.
 */
export class RateLimits {
  readonly #limiter: Promise<RateLimiter>;
  readonly #logger: Logger;
  readonly #hookTimeout: HookTimeout | undefined;
  /** Address to the time until which it is refused, in milliseconds since 1970. */
  readonly #blocked = new BoundedMap<string, number>(MAX_BLOCKED);
  /** Requests that count already, or need not. */
  readonly #counted = new WeakSet<HostRequest>();

  /** @param hookTimeout how long a limiter of the application is waited for; without it as long as it likes */
  constructor(option: RateLimit | RateLimiter, logger: Logger, hookTimeout?: HookTimeout) {
    this.#logger = logger;
    this.#hookTimeout = hookTimeout;
    this.#limiter = "consume" in option ? Promise.resolve(option) : counting(option);
    // A rejection is reported by the calls that await the limiter.
    this.#limiter.catch(() => undefined);
  }

  /**
   * Finds out who sends a request, and counts it.
   * @throws A2AError RATE_LIMITED, and what `authenticate` throws
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

  /** Counts a request that was refused before its caller was known, at its address. A request counts once. */
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
      this.#logger.error({ err }, "The rate limiter does not work; requests are let in uncounted");
      return 0;
    });
  }
}

/** Milliseconds to wait, in what a limiter rejects with; undefined in anything else. */
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
  // Loaded only when it is used: it brings adapters for many databases.
  const { RateLimiterMemory } = await import("rate-limiter-flexible");
  return new RateLimiterMemory({ points: requests, duration: seconds });
}

/** @throws TypeError naming what cannot be right */
export function checkRateLimit(option: RateLimit | RateLimiter | undefined): void {
  if (option === undefined || "consume" in option) return;
  const { requests, seconds } = option;
  if (!(Number.isInteger(requests) && requests > 0))
    throw new TypeError("rateLimit.requests must be a whole number");
  // The counts of a longer time would be dropped at once: they go by a timer.
  const longest = Math.floor(LONGEST_TIMEOUT / 1000);
  if (!(seconds > 0 && seconds <= longest))
    throw new TypeError(`rateLimit.seconds must be a positive number up to ${longest}`);
}
