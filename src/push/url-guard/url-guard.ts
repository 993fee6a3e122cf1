import { connectionPlatform } from "#connections";
import { runtime } from "#runtime";
import { type Clock, systemClock } from "../../async/clock.js";
import { callHook } from "../../async/hook.js";
import { unknownName } from "../../json/unknown-name.js";
import {
  bareHost,
  checkAllowHosts,
  checkUrl,
  isPublicAddress,
  UrlRefused,
  type UrlRules,
} from "./check-url.js";
import type { GuardedAnswer, GuardedConnections, GuardedRequest, Resolver } from "./connections.js";

/** Options of {@link UrlGuard}. */
export interface UrlGuardOptions extends UrlRules {
  /**
   * Resolves host names. The default queries name servers over the network; with `allowPrivateNetworks` it asks the operating
   * system, which also knows names of the local network. A platform that does not reveal the addresses of a host has no default, and
   * resolves the name by itself when it connects.
   */
  readonly resolve?: Resolver | undefined;
  /** Certificates of authorities (PEM) to trust instead of the usual ones. */
  readonly ca?: string | undefined;
  /** Client certificate and key (PEM) for servers that require mutual TLS. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  /** Source of time; the system clock by default. */
  readonly clock?: Clock | undefined;
}

/** The name of every option. */
const optionNames: Readonly<Record<keyof UrlGuardOptions, true>> = {
  ...{ allowHttp: true, allowPrivateNetworks: true, allowHosts: true, resolve: true, ca: true },
  ...{ certificate: true, clock: true },
};

/** Milliseconds for which a check waits for name servers. After that, addresses are only checked at connection time. */
const RESOLVE_MS = 2000;

/**
 * Calls URLs from untrusted sources without giving them access to private networks (§13.2). The URL's text is checked before every request.
 * When a connection to a host name is made, the name is resolved once, every address must be public unless private networks are allowed,
 * and the connection goes to one of these addresses. Redirects are not followed. On a platform that does not reveal the addresses of a
 * host, only the URL's text is checked before a request.
 *
 * @example
 * ```ts
 * const guard = new UrlGuard();
 * const { status, body } = await guard.request(url, { maxBytes: 1_000_000 }); // UrlRefused for https://10.0.0.1/
 * ```
 */
export class UrlGuard {
  readonly #options: UrlGuardOptions;
  readonly #clock: Clock;
  /** Undefined on a platform that does not reveal the addresses of a host, unless the options have a resolver. */
  readonly #resolve: Resolver | undefined;
  readonly #connections: GuardedConnections;

  /**
   * @throws TypeError for an option that does not exist, and when `allowHosts` is not a list or has an entry that no host matches. On a
   * platform that does not reveal the addresses of a host also for `ca` and `certificate`, and when neither `allowHosts` nor
   * `allowPrivateNetworks` is given
   */
  constructor(options: UrlGuardOptions = {}) {
    const unknown = unknownName(options, optionNames);
    if (unknown !== undefined) throw new TypeError(unknown);
    const { ca, certificate, allowHosts, allowPrivateNetworks = false } = options;
    checkAllowHosts("allowHosts", allowHosts);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const resolver = connectionPlatform.resolver(allowPrivateNetworks);
    this.#resolve = options.resolve ?? resolver;
    // A resolver of the application does not help: such a platform resolves the name again when it connects.
    if (resolver === undefined && allowHosts === undefined && !allowPrivateNetworks) {
      throw new TypeError(
        "allowHosts: name the hosts that may be called, because this runtime does not reveal the addresses of a host",
      );
    }
    const find = (hostname: string) => this.#addresses(hostname);
    this.#connections = connectionPlatform.open({ find, ca, certificate, clock: this.#clock });
  }

  /**
   * Resolves the host of a URL and checks all its addresses. Pass them to `request` as `addresses` to avoid resolving the name again.
   * @throws UrlRefused when the URL or an address is refused; TypeError when `resolve` returns no list of IP addresses; Error when the name
   * cannot be resolved, or the platform does not reveal the addresses and the options have no resolver; what `resolve` throws
   */
  async addressesOf(text: string): Promise<readonly string[]> {
    const host = bareHost(checkUrl(text, this.#options));
    return runtime.ipVersion(host) === 0 ? this.#addresses(host) : [host];
  }

  /**
   * Checks a URL before it is stored: its text, and the current addresses of its host. A name that cannot be resolved within two seconds
   * passes. Only the text is checked with `allowPrivateNetworks`, and, if the options have no resolver, on a platform that does not reveal
   * the addresses of a host.
   * @returns the URL as it will be called
   * @throws UrlRefused
   */
  async check(text: string): Promise<URL> {
    const url = checkUrl(text, this.#options);
    const host = bareHost(url);
    if (this.#options.allowPrivateNetworks || this.#resolve === undefined) return url;
    if (runtime.ipVersion(host) !== 0) return url;
    let cancel: (() => void) | undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#clock.schedule(RESOLVE_MS, resolve);
    });
    const check = this.#addresses(host).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof UrlRefused) throw error;
      },
    );
    await Promise.race([check, timeout]).finally(cancel);
    return url;
  }

  /**
   * Checks a URL and sends a request to it.
   * @throws UrlRefused when the URL or an address of its host is refused; TypeError for a header that cannot be sent, or when `resolve`
   * returns no list of IP addresses; the reason of the signal; Error when the network fails, the time is over, the response is too long or
   * `certificate` is invalid; what `resolve` and `resendHeaders` throw
   */
  async request(text: string, request: GuardedRequest = {}): Promise<GuardedAnswer> {
    const { addresses, ...sent } = request;
    const found = addresses?.length ? async () => this.#checked(addresses) : undefined;
    return this.#connections.exchange(checkUrl(text, this.#options), sent, found);
  }

  /**
   * The guard as a `fetch` function, for clients that call untrusted URLs: `connect(url, { fetch: guard.fetch })`. Responses stream
   * and have no time limit. Redirects are not followed: with `redirect: "manual"` they are returned, otherwise they are errors.
   *
   * Rejects with UrlRefused when the URL or an address of its host is refused, with the reason of the signal, with what `resolve` and the
   * stream of the request's body throw, with TypeError for an invalid request, a redirect, a `resolve` that returns no list of IP addresses
   * or, unless the platform's `fetch` makes the connections, a compressed response, and with Error when the network fails, or the response or
   * `certificate` is invalid.
   */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const url = checkUrl(input instanceof Request ? input.url : String(input), this.#options);
    return this.#connections.fetch(url, new Request(input, init));
  };

  /** Closes all connections, including those in use. Has no effect on a platform whose `fetch` manages them. */
  close(): void {
    this.#connections.close();
  }

  async #addresses(hostname: string): Promise<readonly string[]> {
    const resolve = this.#resolve;
    if (resolve === undefined) throw new Error("This runtime does not reveal the addresses of a host");
    const addresses: unknown = await callHook({ call: () => resolve(hostname) }, rethrow);
    if (!isListOfAddresses(addresses)) {
      throw new TypeError(`resolve("${hostname}") must return a list of IP addresses`);
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

function rethrow(error: Error): never {
  throw error;
}

function isListOfAddresses(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.every((one) => typeof one === "string" && runtime.ipVersion(one) !== 0)
  );
}
