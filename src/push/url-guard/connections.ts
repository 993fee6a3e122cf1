import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../async/clock.js";

/** A request to an untrusted URL. */
export interface GuardedRequest {
  /** HTTP method; GET by default. */
  readonly method?: string;
  /** Request headers by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Creates the headers for sending the request once more, after the receiver has closed a keep-alive connection without a response: it may
   * have received the first copy. The same headers by default. Has no effect on a platform whose `fetch` manages connections.
   */
  readonly resendHeaders?: () => Promise<Readonly<Record<string, string>>>;
  /** Request body; a string is sent as UTF-8. */
  readonly body?: string | Uint8Array;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /**
   * Addresses of the host name from an earlier resolution. A new connection checks and uses them instead of resolving the name. If absent
   * or empty, the name is resolved. Has no effect on a platform whose `fetch` resolves names.
   */
  readonly addresses?: readonly string[] | undefined;
  /** Milliseconds from the call to the end of the response, including name lookup and TLS. 10,000 by default; `Infinity` for no limit. */
  readonly timeout?: number;
  /**
   * Longest body to read, in bytes; a longer body is an error. If absent, the body is dropped, and no more of it is read when it exceeds
   * 64 KiB or takes longer than half a second. An incomplete body is no error in this case, but the time that it takes counts toward
   * `timeout`.
   */
  readonly maxBytes?: number;
}

/** A response. Redirects are returned, not followed. */
export interface GuardedAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Empty without `maxBytes`. */
  readonly body: Uint8Array;
}

/** Default of {@link GuardedRequest.timeout}, in milliseconds. */
export const TIMEOUT_MS = 10_000;

/** Limits on reading an ignored body so that its connection can be reused: bytes and milliseconds. */
export const DRAIN = { bytes: 64 * 1024, time: 500 };

/** The connections of a guard. `#connections` in package.json selects the implementation for the platform. */
export interface GuardedConnections {
  /**
   * Sends a request and reads the response, with one deadline for both.
   * @param find returns the addresses of the host, after checking each of them; that of the guard by default. Not used on a platform whose
   * `fetch` resolves names
   * @throws TypeError for a header that cannot be sent; the reason of the signal; Error when the network fails, the time is over, the response
   * is too long or `certificate` is invalid; what `find` and `resendHeaders` throw
   */
  exchange(
    url: URL,
    request: Omit<GuardedRequest, "addresses">,
    find?: FindAddresses,
  ): Promise<GuardedAnswer>;
  /**
   * Sends a request like `fetch`. Redirects are not followed.
   * @throws TypeError for a redirect without `redirect: "manual"` or, unless the platform's `fetch` makes the connections, a compressed
   * response; the reason of the signal; Error when the network fails, or the response or `certificate` is invalid; what `find` of the guard
   * and the stream of the request's body throw
   */
  fetch(url: URL, request: Request): Promise<Response>;
  /** Closes all connections, including those in use. Has no effect on a platform whose `fetch` manages them. */
  close(): void;
}

/**
 * Finds the addresses of a host and checks them. Rejects with UrlRefused when an address is refused, with Error when the host has no address,
 * with TypeError when the resolver returns no list of IP addresses, and with what the resolver throws.
 */
export type FindAddresses = (hostname: string) => Promise<readonly string[]>;

/** Finds the IPv4 and IPv6 addresses of a host name. Rejects when the name has no address, or no name server answers. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** Options of {@link ConnectionPlatform.open}. */
export interface ConnectionOptions {
  readonly find: FindAddresses;
  readonly ca?: string | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
}

/** The part of a guard that differs between platforms. */
export interface ConnectionPlatform {
  /**
   * Creates the connections of one guard.
   * @throws TypeError for `ca` and `certificate` on a platform that does not support them
   */
  open(options: ConnectionOptions): GuardedConnections;
  /**
   * The resolver of the platform. Undefined on a platform whose `fetch` resolves names and does not reveal the addresses. Without
   * the option `resolve`, only the text of a URL can be checked there.
   * @param findsLocalNames whether the resolver also finds names of the local network
   */
  resolver(findsLocalNames: boolean): Resolver | undefined;
}
