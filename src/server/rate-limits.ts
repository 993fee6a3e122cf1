import type { HttpRequest } from "../bindings/http.js";
import type { ServedAgent } from "../bindings/served-agent.js";
import type { Principal } from "../call.js";
import { A2AError } from "../errors.js";
import type { Logger } from "../logger.js";
import { callerKey, networkOf } from "./caller-address.js";

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

/** Addresses that have failed too often; more than this are not remembered. */
const MAX_BLOCKED = 10_000;

/**
 * Refuses callers who send too much (SEC-09), and addresses that show wrong credentials too often, before anybody looks at
 * these (SEC-13). A limiter that fails lets everybody in: it must not take the agents down with it.
 */
export class RateLimits {
  readonly #limiter: Promise<RateLimiter>;
  readonly #logger: Logger;
  /** Address to the time until which it is refused, in milliseconds since 1970. */
  readonly #blocked = new Map<string, number>();

  /** @throws TypeError for an option that cannot be right */
  constructor(option: RateLimit | RateLimiter, logger: Logger) {
    this.#logger = logger;
    this.#limiter = "consume" in option ? Promise.resolve(option) : counting(option);
    // Told to whoever waits for it.
    this.#limiter.catch(() => undefined);
  }

  /**
   * Finds out who sends a request, and counts it.
   * @throws A2AError RATE_LIMITED, and what `authenticate` throws
   */
  async admit(request: HttpRequest, authenticate: ServedAgent["authenticate"]): Promise<Principal> {
    const address = networkOf(request.address);
    this.#demandOpen(address);
    const principal = await this.#identify(request, address, authenticate);
    const wait = await this.#consume(callerKey({ principal, address: request.address }));
    if (wait > 0) throw refusal(wait);
    return principal;
  }

  async #identify(
    request: HttpRequest,
    address: string,
    authenticate: ServedAgent["authenticate"],
  ): Promise<Principal> {
    if (authenticate === undefined) return request.principal;
    try {
      return await authenticate(request);
    } catch (thrown) {
      if (A2AError.from(thrown).code === "UNAUTHENTICATED") {
        const wait = await this.#consume(`refused ${address}`);
        if (wait > 0) this.#block(address, Date.now() + wait);
      }
      throw thrown;
    }
  }

  #demandOpen(address: string): void {
    const until = this.#blocked.get(address);
    if (until === undefined) return;
    const wait = until - Date.now();
    if (wait > 0) throw refusal(wait);
    this.#blocked.delete(address);
  }

  #block(address: string, until: number): void {
    this.#logger.warn({ address }, "An address has shown wrong credentials too often");
    const [oldest] = this.#blocked.keys();
    if (oldest !== undefined && this.#blocked.size >= MAX_BLOCKED) this.#blocked.delete(oldest);
    this.#blocked.set(address, until);
  }

  /** @returns milliseconds to wait; 0 for none */
  async #consume(key: string): Promise<number> {
    try {
      await (await this.#limiter).consume(key);
      return 0;
    } catch (thrown) {
      const { msBeforeNext } = Object(thrown) as { msBeforeNext?: unknown };
      if (typeof msBeforeNext === "number") return Math.max(msBeforeNext, 1);
      this.#logger.error({ err: thrown }, "The rate limiter does not work; requests are let in uncounted");
      return 0;
    }
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
  if (!(seconds > 0)) throw new TypeError("rateLimit.seconds must be a positive number");
}
