import { Deadline } from "../deadline.js";
import type { CredentialNeed, CredentialProvider } from "./credentials.js";
import { endpoint } from "./issuer-endpoint.js";
import { type ClientIdentity, noToken, requestToken, type Token, tokenGetter } from "./oauth-token.js";

/** The redirect target of one authorization. */
export interface AuthorizationRedirect {
  /** The redirect URI as it is registered with the issuer. A loopback address may have any port (RFC 8252 §7.3). */
  readonly uri: string;
  /**
   * Shows the issuer's page to the person.
   * @param page URL of the page
   * @param signal aborts when no call waits for the token any longer, and after ten minutes
   * @returns the URL to which the issuer redirected, with the code or the error in its query
   */
  open(page: URL, signal: AbortSignal): Promise<URL | string>;
  /** Releases the resources that wait for the redirect. Called once, also after an error. */
  close?(): void | Promise<void>;
}

/** Options of {@link authorizationCode}: a client that acts for a person with a browser. */
export interface AuthorizationCodeOptions extends ClientIdentity {
  /** Prepares one authorization. `loopbackRedirect` of `a2a-parley/loopback` does this for programs on Node. */
  readonly redirect: () => AuthorizationRedirect | Promise<AuthorizationRedirect>;
  /** Authorization endpoint, which shows the issuer's page; by default the card's, if credentials may be sent to its origin. */
  readonly authorizationUrl?: string | undefined;
  /** Token endpoint; by default the card's, if credentials may be sent to its origin. */
  readonly tokenUrl?: string | undefined;
  /** Scopes to request; by default those of the card's security requirements. */
  readonly scopes?: readonly string[] | undefined;
}

/** Seconds within which the person must sign in. */
const SIGN_IN_SECONDS = 600;

/** Number of random bytes in a state, and in a code verifier (RFC 7636 §4.1). */
const RANDOM_BYTES = 32;

/**
 * Gets tokens by the OAuth2 authorization code flow (RFC 6749 §4.1) with PKCE (RFC 7636), and refreshes them as long as the issuer
 * allows. The code is only exchanged when the redirect has the `state` of this authorization.
 *
 * The provider returns undefined for a scheme without this flow, unless the options name both endpoints. It throws ClientError
 * CREDENTIALS_MISSING when the person declines or does not return within ten minutes, when the redirect has another state, an error or no
 * code, or when the JSON of the token endpoint is an error or has no token; ORIGIN_NOT_ALLOWED for an endpoint in the card whose origin the
 * caller has not allowed; CARD_INVALID for one that is not a URL; TypeError for an endpoint in the options, or a result of `open`, that is
 * not a URL; the errors of a request that fails, such as UNREACHABLE; what the redirect and the token store throw; and the reason of the
 * signal.
 *
 * @throws TypeError when the options have no client id
 * @example
 * ```ts
 * const client = await connect(url, {
 *   credentials: {
 *     oauth: authorizationCode({ clientId: "desktop", redirect: () => loopbackRedirect({ open: (page) => console.log(page.href) }) }),
 *   },
 * });
 * ```
 */
export function authorizationCode(options: AuthorizationCodeOptions): CredentialProvider {
  const getToken = tokenGetter(options, "authorizationCode");
  return async (need) => {
    const flow = need.scheme.oauth2SecurityScheme?.flows.authorizationCode;
    const isComplete = options.authorizationUrl !== undefined && options.tokenUrl !== undefined;
    if (flow === undefined && !isComplete) return undefined;
    const page = endpoint(options.authorizationUrl, flow?.authorizationUrl ?? "", need);
    const token = endpoint(options.tokenUrl, flow?.tokenUrl ?? "", need);
    return getToken(need, { flow, url: token }, (shared) => authorized({ page, token }, options, shared));
  };
}

async function authorized(
  urls: { readonly page: URL; readonly token: URL },
  options: AuthorizationCodeOptions,
  need: CredentialNeed,
): Promise<Token> {
  const { clientId, clientSecret } = options;
  const redirect = await options.redirect();
  try {
    const verifier = randomText();
    const code = await codeFrom(redirect, { urls, options, need, verifier });
    const form = {
      ...{ grant_type: "authorization_code", code, redirect_uri: redirect.uri },
      ...{ code_verifier: verifier, client_id: clientId, client_secret: clientSecret },
    };
    return await requestToken(urls.token, form, need);
  } finally {
    await redirect.close?.();
  }
}

/** What {@link codeFrom} needs besides the redirect. */
interface PendingAuthorization {
  readonly urls: { readonly page: URL };
  readonly options: AuthorizationCodeOptions;
  readonly need: CredentialNeed;
  readonly verifier: string;
}

/**
 * Sends the person to the issuer.
 * @returns the code of the redirect
 * @throws ClientError CREDENTIALS_MISSING for a redirect with another state, with an error or without a code, and when none comes in time;
 * TypeError when `open` returns no URL; what `open` throws; the reason of the signal
 */
async function codeFrom(redirect: AuthorizationRedirect, pending: PendingAuthorization): Promise<string> {
  const { urls, options, need, verifier } = pending;
  const state = randomText();
  const page = new URL(urls.page);
  const scope = (options.scopes ?? need.scopes).join(" ");
  const query = {
    ...{ response_type: "code", client_id: options.clientId, redirect_uri: redirect.uri, state },
    ...{ code_challenge: await challengeOf(verifier), code_challenge_method: "S256" },
    ...(scope && { scope }),
  };
  for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value);
  const late = noToken(urls.page, `the sign-in was not completed within ${SIGN_IN_SECONDS} seconds`);
  const redirected = new URL(await withinTime(need.signal, late, (signal) => redirect.open(page, signal)));
  const found = redirected.searchParams;
  // The state is compared first, because any web page can send a browser to the redirect URI.
  if (found.get("state") !== state)
    throw noToken(urls.page, "the redirect has another state than the request");
  const error = found.get("error");
  if (error !== null) throw noToken(urls.page, error);
  const code = found.get("code");
  if (!code) throw noToken(urls.page, "the redirect has no code");
  return code;
}

/**
 * Waits for the person until the time is over or no call waits for the token any longer, even if `open` ignores its signal.
 * @param late the error when the time is over
 */
async function withinTime<Value>(
  outer: AbortSignal,
  late: Error,
  open: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const deadline = new Deadline(outer);
  deadline.start("total", SIGN_IN_SECONDS);
  const { signal } = deadline;
  let stop = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(outer.aborted ? outer.reason : late);
    signal.addEventListener("abort", stop);
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([open(signal), ended]);
  } finally {
    signal.removeEventListener("abort", stop);
    deadline.close();
  }
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

/** The code challenge of a verifier (RFC 7636 §4.2). */
async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
