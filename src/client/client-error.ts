/**
 * What can go wrong on this side of the wire, or with an answer that is no A2A answer. A closed list:
 *
 * - `INVALID_OPTION`: an option of the caller cannot be right
 * - `INVALID_REQUEST`: a request breaks the contract and was not sent
 * - `CAPABILITY_MISSING`: the agent's card does not declare what the operation needs
 * - `CREDENTIALS_MISSING`: no way in that the card offers can be satisfied
 * - `ORIGIN_NOT_ALLOWED`: credentials would go to an origin that the caller has not agreed to
 * - `EXTENSION_REQUIRED`: the card requires an extension that the caller does not support
 * - `NO_INTERFACE`: the card lists no interface that this client speaks and the caller allows
 * - `CARD_UNAVAILABLE`: no agent card where one was expected
 * - `CARD_INVALID`: the agent card breaks the contract
 * - `UNREACHABLE`: no answer at all
 * - `CONNECTION_LOST`: an answer began and broke off, and could not be continued
 * - `TIMEOUT`: a time limit has passed
 * - `REDIRECTED`: the answer points elsewhere, which is not followed
 * - `INVALID_RESPONSE`: an answer that breaks the contract, or is no A2A answer at all
 * - `RESPONSE_TOO_LARGE`: an answer, event or card beyond its size limit
 * - `STREAM_GAP`: a stream missed events, and the caller asked to stop then
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

/** What a {@link ClientError} carries besides code and message. */
export interface ClientErrorOptions {
  /** What would have been right. */
  readonly expected?: string;
  /** What was there instead; never credentials, never content. */
  readonly received?: string;
  /** JSON path of the member at fault. */
  readonly field?: string;
  /** Status of an HTTP answer that was no A2A answer. */
  readonly httpStatus?: number;
  readonly cause?: unknown;
}

/**
 * A failure that no agent has reported: found here, by looking at options, cards, connections and answers. What an agent answers
 * with is a {@link RemoteError}.
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  readonly expected: string | undefined;
  readonly received: string | undefined;
  readonly field: string | undefined;
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

/** An answer that is not what the contract wants: what was expected, and what came. */
export function invalidResponse(
  what: string,
  { expected, received, ...rest }: ClientErrorOptions & { expected: string; received: string },
): ClientError {
  const message = `${what}: expected ${expected}, received ${received}`;
  return new ClientError("INVALID_RESPONSE", message, { expected, received, ...rest });
}

/** An answer beyond one of the client's limits. */
export function tooLarge(url: URL, what: string, limit: string): ClientError {
  return new ClientError("RESPONSE_TOO_LARGE", `${shown(url)} sent ${what} of more than ${limit}`);
}

/** A URL as error texts show it: its query may hold a key (§13.4). */
export function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
