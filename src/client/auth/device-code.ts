import { pause } from "../backoff.js";
import { Deadline } from "../deadline.js";
import type { CredentialNeed, CredentialProvider } from "./credentials.js";
import { endpoint } from "./issuer-endpoint.js";
import {
  type ClientIdentity,
  isTemporary,
  noToken,
  type OAuthRefusal,
  postForm,
  type Token,
  tokenFailure,
  tokenGetter,
  tokenOf,
} from "./oauth-token.js";

/** The instructions for the person who authorizes the client. */
export interface DevicePrompt {
  /** The code that the person enters at `verificationUri`. Show it unchanged (RFC 8628 §3.3). */
  readonly userCode: string;
  /** URL at which the person enters the code. */
  readonly verificationUri: string;
  /** The same URL with the code included; undefined if the issuer sends none. */
  readonly verificationUriComplete: string | undefined;
  /** Seconds for which the client waits for the person: the lifetime of the code, at most 3600. */
  readonly expiresIn: number;
}

/** Options of {@link deviceCode}: a client that acts for a person, who signs in on another device. */
export interface DeviceCodeOptions extends ClientIdentity {
  /**
   * Shows the person where to enter the code. Called once for each code. If it throws, or returns a promise that rejects before the
   * client has a token, the call fails.
   */
  readonly prompt: (prompt: DevicePrompt) => unknown;
  /** Endpoint that issues the code for the person; by default the card's, if credentials may be sent to its origin. */
  readonly deviceAuthorizationUrl?: string | undefined;
  /** Token endpoint; by default the card's, if credentials may be sent to its origin. */
  readonly tokenUrl?: string | undefined;
  /** Scopes to request; by default those of the card's security requirements. */
  readonly scopes?: readonly string[] | undefined;
}

/** Polling interval in seconds if the issuer names none (RFC 8628 §3.2). */
const INTERVAL = 5;
/** Seconds added to the interval by `slow_down` (RFC 8628 §3.5). */
const SLOWER = 5;
/** Lifetime of the code in seconds if the issuer names none. */
const EXPIRES = 600;
/** Limits, in seconds, on the polling interval and the lifetime of the code that the issuer names. */
const SHORTEST_INTERVAL = 0.1;
const LONGEST_LIFE = 3600;

/**
 * Gets tokens by the OAuth2 device authorization flow (RFC 8628) and refreshes them as long as the issuer allows. While the client waits for
 * the person, it continues after a request that the issuer does not answer, or answers with 408, 429 or a status of 500 or above. After each
 * such failure in a row it waits twice as long as before (RFC 8628 §3.5).
 *
 * The provider returns undefined for a scheme without this flow, unless the options name both endpoints. It throws ClientError
 * CREDENTIALS_MISSING when the person declines, the code expires, or the issuer refuses in JSON or sends JSON without a code, a
 * verification URI or a token; ORIGIN_NOT_ALLOWED for an endpoint in the card whose origin the caller has not allowed; CARD_INVALID for one
 * that is not a URL; TypeError for an endpoint in the options that is not a URL; the errors of other requests that fail, such as UNREACHABLE;
 * what `prompt` and the token store throw; and the reason of the signal.
 *
 * @throws TypeError when the options have no client id
 * @example
 * ```ts
 * const client = await connect(url, {
 *   credentials: {
 *     oauth: deviceCode({ clientId: "cli", prompt: ({ verificationUri, userCode }) => console.log(verificationUri, userCode) }),
 *   },
 * });
 * ```
 */
export function deviceCode(options: DeviceCodeOptions): CredentialProvider {
  const getToken = tokenGetter(options, "deviceCode");
  return async (need) => {
    const flow = need.scheme.oauth2SecurityScheme?.flows.deviceCode;
    const isComplete = options.deviceAuthorizationUrl !== undefined && options.tokenUrl !== undefined;
    if (flow === undefined && !isComplete) return undefined;
    const device = endpoint(options.deviceAuthorizationUrl, flow?.deviceAuthorizationUrl ?? "", need);
    const token = endpoint(options.tokenUrl, flow?.tokenUrl ?? "", need);
    return getToken(need, { flow, url: token }, (shared) => authorized({ device, token }, options, shared));
  };
}

async function authorized(
  urls: { readonly device: URL; readonly token: URL },
  options: DeviceCodeOptions,
  need: CredentialNeed,
): Promise<Token> {
  const { clientId, clientSecret, prompt } = options;
  const scope = (options.scopes ?? need.scopes).join(" ") || undefined;
  const client = { client_id: clientId, client_secret: clientSecret };
  const begun = await postForm(urls.device, { ...client, scope }, need).catch((error: unknown) => {
    throw tokenFailure(urls.device, error);
  });
  const {
    device_code: code,
    user_code: userCode,
    verification_uri: uri,
    verification_uri_complete: complete,
  } = begun;
  if (typeof code !== "string" || typeof userCode !== "string" || typeof uri !== "string") {
    throw noToken(urls.device, "the response lacks a device code, user code or verification URI");
  }
  const expiresIn = Math.min(secondsIn(begun.expires_in, EXPIRES), LONGEST_LIFE);
  const end = Date.now() + expiresIn * 1000;
  const shown = prompt({
    userCode,
    verificationUri: uri,
    verificationUriComplete: typeof complete === "string" ? complete : undefined,
    expiresIn,
  });
  const grant = "urn:ietf:params:oauth:grant-type:device_code";
  const form = { grant_type: grant, device_code: code, ...client };
  const interval = Math.max(secondsIn(begun.interval, INTERVAL), SHORTEST_INTERVAL);
  const deadline = new Deadline(need.signal);
  // Not awaited: a dialog may stay open until the person has decided.
  Promise.resolve(shown).catch((error: unknown) => deadline.abort(error));
  const polling = poll(urls.token, form, { interval, end }, { ...need, signal: deadline.signal });
  return polling.finally(() => deadline.close());
}

/**
 * Polls the token endpoint until the person has decided or the code expires. Temporary failures double the time until the next poll, until
 * the issuer answers again.
 * @throws ClientError CREDENTIALS_MISSING when the person declines, the code expires, or the issuer refuses in JSON or sends JSON without a
 * token; the errors of {@link postForm} that are neither an OAuthRefusal nor temporary; the reason of the signal
 */
async function poll(
  url: URL,
  form: Readonly<Record<string, string | undefined>>,
  { interval, end }: { readonly interval: number; readonly end: number },
  need: CredentialNeed,
): Promise<Token> {
  let wait = interval;
  /** Seconds until the next poll: `wait`, doubled by each temporary failure since the issuer last answered. */
  let next = wait;
  let failure: unknown;
  for (;;) {
    const left = end - Date.now();
    if (left <= 0) throw noToken(url, "the code has expired", failure);
    await pause(Math.min(next, left / 1000), need.signal);
    try {
      return tokenOf(url, await postForm(url, form, need));
    } catch (error) {
      const { error: code } = Object(error) as Partial<OAuthRefusal>;
      failure = error;
      next *= 2;
      if (code === "slow_down") wait += SLOWER;
      else if (isTemporary(error)) continue;
      else if (code !== "authorization_pending") throw tokenFailure(url, error);
      next = wait;
    }
  }
}

function secondsIn(value: unknown, otherwise: number): number {
  return typeof value === "number" && value >= 0 ? value : otherwise;
}
