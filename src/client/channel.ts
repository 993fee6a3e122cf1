import type { ClientAuthenticator, CredentialGrant } from "./auth/authenticator.js";
import { ClientError, shown } from "./client-error.js";
import type { Deadline } from "./deadline.js";
import {
  discard,
  exchange,
  type Fetch,
  isRedirect,
  type OutgoingRequest,
  redirectTarget,
} from "./exchange.js";

/** What all calls of a client share on their way out. */
export interface ChannelOptions {
  readonly fetch: Fetch;
  /** Absent when the caller gave no credentials. */
  readonly authenticator: ClientAuthenticator | undefined;
}

/** How one request is sent. */
export interface Sending {
  readonly ticket: CredentialGrant | undefined;
  readonly clock: Deadline;
  /** Seconds until the head of the answer must be there. */
  readonly connect: number | undefined;
}

const MOST_REDIRECTS = 3;
/** Redirects that keep method and body. */
const KEEPING = [307, 308];

/** Sends requests with credentials, and once more with fresh ones when they are refused (§7.3). */
export class Channel {
  readonly #options: ChannelOptions;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Credentials for a call; undefined when the caller gave none. Getting them may take a person, and so any time. */
  async ticket(signal: AbortSignal): Promise<CredentialGrant | undefined> {
    return this.#options.authenticator?.ticket(signal);
  }

  /**
   * Sends a request.
   * @returns the head of the answer, whatever its status
   * @throws ClientError UNREACHABLE, REDIRECTED, CREDENTIALS_MISSING and others of credentials; the reason of the clock's
   * signal when that has ended it
   */
  async send(outgoing: OutgoingRequest, sending: Sending): Promise<Response> {
    const { authenticator } = this.#options;
    const { ticket, clock } = sending;
    if (authenticator === undefined || ticket === undefined) return this.#deliver(outgoing, sending);
    const response = await this.#deliver(bearing(outgoing, authenticator, ticket), sending);
    if (response.status !== 401) return response;
    const fresh = await authenticator.renew(ticket, clock.signal);
    if (fresh === undefined) return response;
    discard(response);
    return this.#deliver(bearing(outgoing, authenticator, fresh), sending);
  }

  /** Follows redirects that stay on the origin and repeat the request; to others the caller has not agreed (§13.4). */
  async #deliver(outgoing: OutgoingRequest, { clock, connect }: Sending): Promise<Response> {
    clock.start("connect", connect);
    let request = outgoing;
    for (let hops = 0; ; hops++) {
      const response = await exchange(this.#options.fetch, request, clock);
      if (!isRedirect(response)) {
        clock.stop("connect");
        return response;
      }
      discard(response);
      const target = redirectTarget(response, request.url);
      const mayFollow = KEEPING.includes(response.status) && target?.origin === request.url.origin;
      if (!mayFollow || hops === MOST_REDIRECTS) throw redirected(request.url, target);
      // The query holds what the call and its credentials have put there.
      if (target.search === "") target.search = request.url.search;
      request = { ...request, url: target };
    }
  }
}

/** A copy of a request with credentials in it. */
function bearing(
  outgoing: OutgoingRequest,
  authenticator: ClientAuthenticator,
  ticket: CredentialGrant,
): OutgoingRequest {
  const request = { ...outgoing, url: new URL(outgoing.url), headers: new Headers(outgoing.headers) };
  authenticator.apply(ticket, request);
  return request;
}

function redirected(from: URL, to: URL | undefined): ClientError {
  const target = to === undefined ? "elsewhere" : `to ${shown(to)}`;
  return new ClientError(
    "REDIRECTED",
    `${shown(from)} redirects ${target}, which is not followed: connect there instead`,
  );
}
