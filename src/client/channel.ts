import type { ClientAuthenticator, CredentialGrant } from "./auth/authenticator.js";
import { ClientError, displayUrl } from "./client-error.js";
import type { Deadline } from "./deadline.js";
import {
  discard,
  type Fetch,
  fetchOnce,
  isRedirect,
  type OutgoingRequest,
  redirectTarget,
} from "./exchange.js";

/** What a {@link Channel} works with. */
export interface ChannelOptions {
  readonly fetch: Fetch;
  /** Undefined for a client without credentials. */
  readonly authenticator: ClientAuthenticator | undefined;
}

/** Options of {@link Channel.send}. */
export interface Sending {
  readonly grant: CredentialGrant | undefined;
  readonly deadline: Deadline;
  /** Time limit for the response headers in seconds; undefined for none. */
  readonly connect: number | undefined;
  /** Sends the request; the `fetch` of the client unless given. */
  readonly fetch?: Fetch | undefined;
  /** Called when the credentials were refused and renewing them has failed. */
  readonly onUnrenewed?: (() => void) | undefined;
}

const MAX_REDIRECTS = 3;
/** Statuses of redirects that preserve method and body. */
const KEEPING = [307, 308];

/** Sends requests with the client's credentials. A request that is refused with 401 is repeated once, if there are new ones (§7.3). */
export class Channel {
  readonly #options: ChannelOptions;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /**
   * Credentials for a call; undefined for a client without credentials. Getting them may take minutes, if a person has to sign in.
   * @throws the errors of {@link ClientAuthenticator.grant}
   */
  async grant(signal: AbortSignal): Promise<CredentialGrant | undefined> {
    return this.#options.authenticator?.grant(signal);
  }

  /**
   * Sends a request.
   * @returns the response, of any status other than a redirect, with a body that is not read yet
   * @throws ClientError REDIRECTED; the errors of {@link fetchOnce}, {@link ClientAuthenticator.renew} and
   * {@link ClientAuthenticator.apply}
   */
  async send(outgoing: OutgoingRequest, sending: Sending): Promise<Response> {
    const { authenticator } = this.#options;
    const { grant, deadline, onUnrenewed } = sending;
    if (authenticator === undefined || grant === undefined) return this.#deliver(outgoing, sending);
    const response = await this.#deliver(withCredentials(outgoing, authenticator, grant), sending);
    if (response.status !== 401) return response;
    const fresh = await authenticator.renew(grant, deadline.signal).catch((error: unknown) => {
      discard(response);
      onUnrenewed?.();
      throw error;
    });
    if (fresh === undefined) return response;
    discard(response);
    return this.#deliver(withCredentials(outgoing, authenticator, fresh), sending);
  }

  /**
   * Sends a request. Follows up to {@link MAX_REDIRECTS} redirects that preserve the request and stay on its origin (§13.4).
   */
  async #deliver(
    outgoing: OutgoingRequest,
    { deadline, connect, fetch = this.#options.fetch }: Sending,
  ): Promise<Response> {
    deadline.start("connect", connect);
    let request = outgoing;
    for (let hops = 0; ; hops++) {
      const response = await fetchOnce(fetch, request, deadline);
      if (!isRedirect(response)) {
        deadline.stop("connect");
        return response;
      }
      discard(response);
      const target = redirectTarget(response, request.url);
      const mayFollow = KEEPING.includes(response.status) && target?.origin === request.url.origin;
      if (!mayFollow || hops === MAX_REDIRECTS) throw redirected(request.url, target);
      // A target without a query gets that of the request, which may contain parameters and credentials of the call.
      if (target.search === "") target.search = request.url.search;
      request = { ...request, url: target };
    }
  }
}

/** A copy of a request with credentials added. */
function withCredentials(
  outgoing: OutgoingRequest,
  authenticator: ClientAuthenticator,
  grant: CredentialGrant,
): OutgoingRequest {
  const request = { ...outgoing, url: new URL(outgoing.url), headers: new Headers(outgoing.headers) };
  authenticator.apply(grant, request);
  return request;
}

/** The error for a redirect that is not followed. */
export function redirected(from: URL, to: URL | undefined): ClientError {
  const target = to === undefined ? "elsewhere" : `to ${displayUrl(to)}`;
  return new ClientError(
    "REDIRECTED",
    `${displayUrl(from)} redirects ${target}. The client does not follow: the agent's card must list the final URL`,
  );
}
