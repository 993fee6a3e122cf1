import { isJsonObject } from "../../json/json-text.js";
import { argumentError, assertObject } from "../../protocol/argument.js";
import { ClientError, displayUrl } from "../client-error.js";
import { isTransient } from "../connection-error.js";
import { fetchOnce, jsonOf, receive } from "../exchange.js";
import type { CredentialNeed } from "./credentials.js";
import { IssuerDeadline } from "./issuer-deadline.js";
import { endpoint } from "./issuer-endpoint.js";
import { SingleFlight } from "./single-flight.js";

/** A token of an issuer. */
export interface Token {
  readonly value: string;
  /**
   * Milliseconds since 1970; `Infinity` if the response has no `expires_in` that is a number or begins, as a string, with one. JSON writes
   * that as null, and a loaded token with null counts as expired: a {@link TokenStore} that uses JSON has to turn null into `Infinity` again.
   */
  readonly expires: number;
  /** Refresh token; undefined if the issuer has sent none. */
  readonly refresh: string | undefined;
}

/**
 * Stores tokens, which are secret, between runs of the program.
 *
 * @example
 * ```ts
 * import { existsSync } from "node:fs";
 * import { readFile, writeFile } from "node:fs/promises";
 *
 * const file = "token.json";
 * const tokenStore: TokenStore = {
 *   async load() {
 *     if (!existsSync(file)) return undefined;
 *     const saved = JSON.parse(await readFile(file, "utf8"));
 *     return { ...saved, expires: saved.expires ?? Infinity };
 *   },
 *   save: (token) => writeFile(file, JSON.stringify(token), { mode: 0o600 }),
 * };
 * ```
 */
export interface TokenStore {
  /**
   * The stored token; undefined without one. A provider calls this once for each combination of token endpoint, refresh endpoint and
   * scopes, before it requests a token there, and again only after `load` has failed.
   */
  load(): Token | undefined | Promise<Token | undefined>;
  /** Replaces the stored token. A failure fails the calls that wait for the token; later calls use it unsaved. */
  save(token: Token): void | Promise<void>;
}

/** Identifies the client to the issuer. */
export interface ClientIdentity {
  readonly clientId: string;
  /** Undefined for a client that the issuer has registered without a secret. */
  readonly clientSecret?: string | undefined;
  /**
   * Stores the token between runs of the program; by default it is kept in memory only. The store holds one token: with a store, create a
   * provider for each agent, because every agent that shares the provider would get the stored token, whatever its issuer.
   */
  readonly tokenStore?: TokenStore | undefined;
}

/** Maximum bytes of a response. */
const MAX_BYTES = 64 * 1024;
/** Milliseconds before its expiry from which a token is no longer used, because it could expire in transit. */
const MARGIN_MS = 30_000;

/** The error response of an OAuth endpoint (RFC 6749 §5.2). */
export class OAuthRefusal extends Error {
  override readonly name = "OAuthRefusal";
  /** The `error` code of the response, such as `authorization_pending`; `HTTP` and the status for a response without one. */
  readonly error: string;
  readonly httpStatus: number;

  constructor(error: string, httpStatus: number) {
    super(`The OAuth endpoint answered "${error}"`);
    this.error = error;
    this.httpStatus = httpStatus;
  }
}

/**
 * Posts a form to an OAuth endpoint (RFC 6749). Asks `fetch` not to follow redirects, because the request may contain secrets.
 * @throws OAuthRefusal for JSON that is not an object, has an error, or comes with a status other than 2xx; ClientError UNREACHABLE,
 * CONNECTION_LOST, TIMEOUT, RESPONSE_TOO_LARGE, or INVALID_RESPONSE for text that is not JSON; the ClientError that `fetch` rejects with;
 * the reason of the signal
 */
export async function postForm(
  url: URL,
  form: Readonly<Record<string, string | undefined>>,
  { fetch, signal }: Pick<CredentialNeed, "fetch" | "signal">,
): Promise<Readonly<Record<string, unknown>>> {
  const deadline = new IssuerDeadline(signal);
  const fields = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const body = new URLSearchParams(fields).toString();
  const headers = new Headers({
    "Content-Type": "application/x-www-form-urlencoded",
    Accept: "application/json",
  });
  try {
    const response = await fetchOnce(fetch, { method: "POST", url, headers, body }, deadline);
    const incoming = await receive(response, url, MAX_BYTES, deadline);
    const answer = jsonOf(incoming, "an OAuth response in JSON");
    const error = isJsonObject(answer) && typeof answer.error === "string" ? answer.error : undefined;
    if (!response.ok || !isJsonObject(answer) || error !== undefined) {
      throw new OAuthRefusal(error ?? `HTTP ${response.status}`, response.status);
    }
    return answer;
  } finally {
    deadline.close();
  }
}

/**
 * Requests a token.
 * @throws ClientError CREDENTIALS_MISSING when the JSON of the endpoint is an error or has no token; the errors of {@link postForm} other
 * than OAuthRefusal
 */
export async function requestToken(
  url: URL,
  form: Readonly<Record<string, string | undefined>>,
  need: Pick<CredentialNeed, "fetch" | "signal">,
): Promise<Token> {
  try {
    return tokenOf(url, await postForm(url, form, need));
  } catch (error) {
    throw tokenFailure(url, error);
  }
}

/**
 * The token in a response.
 * @throws ClientError CREDENTIALS_MISSING when there is none
 */
export function tokenOf(url: URL, answer: Readonly<Record<string, unknown>>): Token {
  const token = tokenIn(answer);
  if (token === undefined) throw noToken(url, "the response has none");
  return token;
}

/** The token in a response; undefined when there is none. */
function tokenIn(answer: Readonly<Record<string, unknown>>): Token | undefined {
  const { access_token: value, expires_in: lifetime, refresh_token: refresh } = answer;
  if (typeof value !== "string" || value === "") return undefined;
  // Some issuers send a string.
  const seconds = Number.parseFloat(String(lifetime));
  return {
    value,
    expires: Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000,
    refresh: typeof refresh === "string" ? refresh : undefined,
  };
}

/** Options of a provider that concern its tokens. */
interface TokenOptions extends ClientIdentity {
  readonly tokenUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** The flow of a scheme: its endpoints in the card, and the token endpoint to use. */
interface TokenSource {
  /** The flow in the card. Without a `tokenUrl` in the options, tokens are refreshed at its `refreshUrl`, if it has one. */
  readonly flow: { readonly refreshUrl?: string | undefined } | undefined;
  /** The token endpoint. */
  readonly url: URL;
}

/**
 * Returns a token: the current one, or one that the issuer refreshes or `obtain` requests.
 * @throws the errors of {@link TokenHolder.get}, {@link endpoint} and {@link refreshed}
 */
type GetToken = (
  need: CredentialNeed,
  source: TokenSource,
  obtain: (need: CredentialNeed) => Promise<Token>,
) => Promise<string>;

/**
 * Creates the function by which a provider gets its tokens. It holds one token for each combination of token endpoint, refresh
 * endpoint and scopes, so that clients of different agents can share the provider.
 * @param provider name of the function that takes these options, for errors
 * @throws TypeError when there is no client id: it may come from an environment variable that is not set
 */
export function tokenGetter(options: TokenOptions, provider: string): GetToken {
  assertObject(options, `${provider} needs options with a clientId`);
  const { clientId, tokenStore, tokenUrl, scopes } = options;
  if (typeof clientId !== "string") throw argumentError(`${provider} needs a clientId`, clientId);
  const holders = new Map<string, TokenHolder>();
  return async (need, { flow, url }, obtain) => {
    const refreshUrl = flow?.refreshUrl || url.href;
    const key = [url, tokenUrl ?? refreshUrl, ...(scopes ?? need.scopes)].join(" ");
    const holder = holders.get(key) ?? new TokenHolder(tokenStore);
    holders.set(key, holder);
    return holder.get(need, async (old, shared) => {
      // The refresh endpoint is checked only if there is a refresh token to send there.
      if (old?.refresh === undefined) return obtain(shared);
      const renewal = endpoint(tokenUrl, refreshUrl, need);
      return (await refreshed(old, renewal, options, shared)) ?? (await obtain(shared));
    });
  };
}

/** Holds one token and replaces it when it is about to expire or was refused. Concurrent callers wait for the same request. */
export class TokenHolder {
  #token: Token | undefined;
  readonly #tokenStore: TokenStore | undefined;
  #loading: Promise<void> | undefined;
  readonly #work = new SingleFlight<Token>();

  constructor(tokenStore: TokenStore | undefined) {
    this.#tokenStore = tokenStore;
  }

  /**
   * Returns the current token, or a new one if there is none, or if it is about to expire or was refused.
   * @param obtain requests a token. It receives the old one, whose refresh token may still be valid, and the need with a signal that
   *   aborts when no caller waits any longer
   * @throws what `obtain` and the token store throw; the reason of the signal
   */
  async get(
    need: CredentialNeed,
    obtain: (old: Token | undefined, need: CredentialNeed) => Promise<Token>,
  ): Promise<string> {
    const { rejected, signal } = need;
    this.#loading ??= this.#load();
    await this.#loading;
    const token = this.#token;
    const isGood = token !== undefined && token.value !== rejected && token.expires - MARGIN_MS > Date.now();
    if (isGood) return token.value;
    const { value } = await this.#work.join(signal, async (shared) => {
      const fresh = await obtain(token, { ...need, signal: shared });
      // Set before it is saved, because the old refresh token may be invalid now.
      this.#token = fresh;
      await this.#tokenStore?.save(fresh);
      return fresh;
    });
    return value;
  }

  /** Loads the stored token once. After a failure, the next call tries again. */
  #load(): Promise<void> {
    const load = async (): Promise<void> => {
      // A program without types may return null.
      this.#token = (await this.#tokenStore?.load()) ?? undefined;
    };
    const loading = load();
    loading.catch(() => {
      this.#loading = undefined;
    });
    return loading;
  }
}

/**
 * Exchanges a refresh token for a new token. The new one keeps the refresh token if the issuer returns no other.
 * @returns undefined without a refresh token, when the JSON has no token, and when it is an error with a status that is neither 408, 429 nor
 * 500 or above
 * @throws ClientError CREDENTIALS_MISSING for an error in JSON with one of these statuses: the refresh token may still be valid; the errors
 * of {@link postForm} other than OAuthRefusal
 */
export async function refreshed(
  old: Token | undefined,
  url: URL,
  { clientId, clientSecret }: ClientIdentity,
  need: CredentialNeed,
): Promise<Token | undefined> {
  if (old?.refresh === undefined) return undefined;
  try {
    const form = { grant_type: "refresh_token", refresh_token: old.refresh };
    const answer = await postForm(url, { ...form, client_id: clientId, client_secret: clientSecret }, need);
    const token = tokenIn(answer);
    return token && { ...token, refresh: token.refresh ?? old.refresh };
  } catch (error) {
    if (error instanceof OAuthRefusal && !isTemporary(error)) return undefined;
    throw tokenFailure(url, error);
  }
}

/** Whether the same request may succeed later: the issuer did not answer it, or answered with 408, 429 or a status of 500 or above. */
export function isTemporary(failure: unknown): boolean {
  // A ClientError has the status of a response that is not JSON, such as the page of a gateway.
  const { httpStatus = 0 } = Object(failure) as { readonly httpStatus?: number };
  return httpStatus >= 500 || httpStatus === 408 || httpStatus === 429 || isTransient(failure);
}

/** What is thrown for a failure of {@link postForm}: {@link noToken} for an OAuthRefusal, else the failure itself. */
export function tokenFailure(url: URL, failure: unknown): unknown {
  return failure instanceof OAuthRefusal ? noToken(url, failure.error, failure) : failure;
}

/** The error for an issuer that gives no token. */
export function noToken(url: URL, reason: string, cause?: unknown): ClientError {
  return new ClientError("CREDENTIALS_MISSING", `No token from ${displayUrl(url)}: ${reason}`, { cause });
}
