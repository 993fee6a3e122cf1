import { isIP, type LookupFunction } from "node:net";
import { type Clock, systemClock } from "../../async/clock.js";
import { callHook } from "../../async/hook.js";
import { checkUrl, hostOf, isPublicAddress, UrlRefused, type UrlRules } from "./check-url.js";
import { type Connection, exchange, type GuardedAnswer, type GuardedRequest } from "./exchange.js";
import { guardedFetch, keptConnections } from "./guarded-fetch.js";
import { networkResolver, type Resolver, systemResolver } from "./resolver.js";

/** Settings of a {@link UrlGuard}. */
export interface UrlGuardOptions extends UrlRules {
  /**
   * Where addresses of names come from. By default name servers are asked over the network; with `allowPrivateNetworks` the
   * operating system, which also knows the names of its own network.
   */
  readonly resolve?: Resolver;
  /** Certificates, as PEM, of authorities to trust in place of the usual ones. */
  readonly ca?: string;
  /** Certificate and key, as PEM, to show to who asks for one (mutual TLS). */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Where time comes from; the machine's clock unless given. */
  readonly clock?: Clock;
}

/** How long a check waits for name servers before it leaves the decision to the moment of connecting, in milliseconds. */
const PATIENCE_MS = 2000;

/**
 * Calls URLs that strangers gave, without becoming their way into the network behind us (SEC-04, PUSH-15, PUSH-16). Text is
 * checked before every request, addresses when a connection is made: a name is resolved once, every address of it has to be
 * public, and the connection goes to one of those very addresses. Redirects are not followed.
 */
export class UrlGuard {
  readonly #options: UrlGuardOptions;
  readonly #clock: Clock;
  readonly #resolve: Resolver;
  readonly #lookup: LookupFunction;
  readonly #agents = keptConnections();

  constructor(options: UrlGuardOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#resolve = options.resolve ?? (options.allowPrivateNetworks ? systemResolver : networkResolver());
    this.#lookup = lookupBy((hostname) => this.#addresses(hostname));
  }

  /**
   * The addresses to which a request to a URL may connect, all of them checked. Give them to the request with `addresses`, and
   * the name is not resolved again.
   * @throws UrlRefused when the URL, or one of the addresses, does not pass; Error when the name cannot be resolved
   */
  async addressesOf(text: string): Promise<readonly string[]> {
    const host = hostOf(checkUrl(text, this.#options));
    return isIP(host) === 0 ? this.#addresses(host) : [host];
  }

  /**
   * Checks a URL before it is stored: its text, and the addresses that its host has now. A name that cannot be resolved at
   * the moment passes; every connection checks again.
   * @throws UrlRefused
   */
  async check(text: string): Promise<URL> {
    const url = checkUrl(text, this.#options);
    const host = hostOf(url);
    if (this.#options.allowPrivateNetworks || isIP(host) !== 0) return url;
    let cancel: (() => void) | undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = this.#clock.schedule(PATIENCE_MS, resolve);
    });
    const check = this.#addresses(host).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof UrlRefused) throw error;
      },
    );
    await Promise.race([check, patience]).finally(cancel);
    return url;
  }

  /**
   * Sends a request to a URL that passes.
   * @throws UrlRefused when it does not, Error on any failure of network, time or size
   */
  async request(text: string, request: GuardedRequest = {}): Promise<GuardedAnswer> {
    const { addresses, ...sent } = request;
    const connection = this.#connection(text);
    if (addresses === undefined) return exchange(connection, sent);
    const lookup = lookupBy(async () => this.#checked(addresses));
    return exchange({ ...connection, lookup }, sent);
  }

  /**
   * The guard in the shape of the platform's `fetch`, for clients that call URLs of strangers: `connect(url, { fetch: guard.fetch })`.
   * Answers stream, and take as long as they like. Redirects are not followed: with `redirect: "manual"` they are answers, otherwise errors.
   *
   * It rejects with UrlRefused when a URL does not pass, and with Error on any failure of the network.
   */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const connection = this.#connection(input instanceof Request ? input.url : String(input));
    return guardedFetch(connection, new Request(input, init));
  };

  /** @throws UrlRefused */
  #connection(text: string): Connection {
    const url = checkUrl(text, this.#options);
    const agent = this.#agents[url.protocol === "https:" ? "https:" : "http:"];
    const { ca, certificate } = this.#options;
    return { url, agent, lookup: this.#lookup, ca, certificate, clock: this.#clock };
  }

  /** Cuts all connections, also those in use. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #addresses(hostname: string): Promise<readonly string[]> {
    const addresses: unknown = await callHook({ call: () => this.#resolve(hostname) }, rethrow);
    if (!isListOfAddresses(addresses)) {
      throw new TypeError(`resolve("${hostname}") must give a list of IP addresses`);
    }
    if (addresses.length === 0) throw new Error(`${hostname} has no address`);
    return this.#checked(addresses);
  }

  #checked(addresses: readonly string[]): readonly string[] {
    if (!this.#options.allowPrivateNetworks && !addresses.every(isPublicAddress)) {
      throw new UrlRefused("must not resolve to a private or reserved address");
    }
    return addresses;
  }
}

/** How Node asks for the addresses of a host when it connects. */
function lookupBy(find: (hostname: string) => Promise<readonly string[]>): LookupFunction {
  return (hostname, { all }, done) => {
    find(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) done(null, found);
        else done(null, found[0]?.address ?? "", found[0]?.family);
      },
      (error: Error) => done(error, ""),
    );
  };
}

function rethrow(error: Error): never {
  throw error;
}

function isListOfAddresses(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string" && isIP(one) !== 0);
}
