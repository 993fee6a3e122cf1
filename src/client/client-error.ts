/**
 * The codes of {@link ClientError}. A closed list:
 *
 * - `INVALID_OPTION`: an option, a credential, a schema that the caller has passed, the agent that is passed to `connect`, or a name in a
 *   security scheme of the card is invalid
 * - `INVALID_REQUEST`: a request was not sent, because it is not valid A2A, does not match the input schema of its skill, or cannot be
 *   represented in the version or binding
 * - `CAPABILITY_MISSING`: the agent does not support the operation, according to its card or its response, or the protocol version lacks it
 *   over this binding; or the request names a tenant, which the protocol version does not have
 * - `CREDENTIALS_MISSING`: no security requirement of the card can be met, because credentials are missing, a scheme is unknown or the
 *   interface cannot send them; or the caller got no token from an OAuth issuer
 * - `ORIGIN_NOT_ALLOWED`: the `credentials` or `headers` of `connect`, or a request to an OAuth endpoint, would be sent to an origin that
 *   the caller has not allowed
 * - `EXTENSION_REQUIRED`: the card requires an extension that the caller does not support
 * - `NO_INTERFACE`: the card has no interface that this client supports and the caller allows
 * - `CARD_UNAVAILABLE`: no agent card or catalog at the expected URL, or not exactly one agent of the given name in the catalog
 * - `CARD_INVALID`: the agent card is not valid A2A, or contains a schema, an OAuth endpoint or an API key location that cannot be used
 * - `UNREACHABLE`: no response from the agent or an OAuth issuer: there was no connection, or it broke before a response. The request may
 *   have been executed
 * - `CONNECTION_LOST`: a response was cut off or a stream ended too early, and could not be continued
 * - `TIMEOUT`: a time limit has passed
 * - `REDIRECTED`: the response is a redirect that the client does not follow
 * - `INVALID_RESPONSE`: a response is not valid, or an output does not match the schema of its skill
 * - `RESPONSE_TOO_LARGE`: a response, an event, a card, or the task of a stream exceeds a limit
 * - `STREAM_GAP`: a stream missed events, and `onGap` is `"throw"`
 */
export type ClientErrorCode =
  | "INVALID_OPTION"
  | "INVALID_REQUEST"
  | "CAPABILITY_MISSING"
  | "CREDENTIALS_MISSING"
  | "ORIGIN_NOT_ALLOWED"
  | "EXTENSION_REQUIRED"
  | "NO_INTERFACE"
  | "CARD_UNAVAILABLE"
  | "CARD_INVALID"
  | "UNREACHABLE"
  | "CONNECTION_LOST"
  | "TIMEOUT"
  | "REDIRECTED"
  | "INVALID_RESPONSE"
  | "RESPONSE_TOO_LARGE"
  | "STREAM_GAP";

/** Members of a {@link ClientError} in addition to code and message. */
export interface ClientErrorOptions {
  readonly expected?: string;
  readonly received?: string;
  readonly field?: string;
  readonly httpStatus?: number;
  readonly cause?: unknown;
}

/**
 * A failure that the client has detected in options, requests, cards, connections or responses. An error that the agent reports is a
 * {@link RemoteError}.
 *
 * @example
 * ```ts
 * try {
 *   await client.sendText("hello");
 * } catch (err) {
 *   if (err instanceof ClientError && err.code === "UNREACHABLE") console.error("The agent is down");
 * }
 * ```
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  /** What was expected. */
  readonly expected: string | undefined;
  /** What was received instead, without the caller's credentials and the content of messages and artifacts. */
  readonly received: string | undefined;
  /** Path of the invalid member. */
  readonly field: string | undefined;
  /** HTTP status of a response that is not in the format of A2A. */
  readonly httpStatus: number | undefined;

  constructor(code: ClientErrorCode, message: string, options: ClientErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.expected = options.expected;
    this.received = options.received;
    this.field = options.field;
    this.httpStatus = options.httpStatus;
  }
}

/** The error for a response that is not valid. It says what was expected and what was received. */
export function invalidResponse(
  what: string,
  { expected, received, ...rest }: ClientErrorOptions & { expected: string; received: string },
): ClientError {
  const message = `${what}: expected ${expected}, received ${received}`;
  return new ClientError("INVALID_RESPONSE", message, { expected, received, ...rest });
}

/** The error for a response that exceeds a limit. */
export function tooLarge(url: URL, what: string, limit: string): ClientError {
  return new ClientError("RESPONSE_TOO_LARGE", `${displayUrl(url)} sent ${what} of more than ${limit}`);
}

/** A URL for messages: scheme, host and path, because a query may contain a key (§13.4). */
export function displayUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * Describes the kind of value at a path, without the value itself, which may be personal.
 * @param path such as `status.message.parts[0]`; `""` is the value itself
 */
export function kindAt(value: unknown, path: string): string {
  let found = value;
  for (const [name] of path.matchAll(/[^.[\]]+/g)) {
    const holds = typeof found === "object" && found !== null && Object.hasOwn(found, name);
    found = holds ? (found as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  if (found === undefined) return "no such member";
  if (found === null) return "null";
  if (Array.isArray(found)) return `a list of ${found.length}`;
  if (typeof found === "string") return found === "" ? "empty text" : "other text";
  return typeof found === "object" ? "an object" : `a ${typeof found}`;
}
