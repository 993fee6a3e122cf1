/** Thrown to refuse a notification with an HTTP status. The message is for the receiver's own log. */
export class RefusedPush extends Error {
  override readonly name = "RefusedPush";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A request to a webhook, independent of the HTTP framework. */
export interface PushRequest {
  /** HTTP method; notifications are sent with POST. */
  readonly method: string;
  /** URL of the request as the framework passes it: absolute, or starting with the path. */
  readonly url: string;
  /** Names are in lower case. A header whose value is a list counts as absent, so pass single values as strings. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes that were received, which the signature covers, or their text, decoded as UTF-8. */
  readonly body: Uint8Array | string;
}

/**
 * The value of a header; undefined when the header is absent, or has a list of values.
 * @param name in lower case
 */
export function headerOf({ headers }: PushRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}
