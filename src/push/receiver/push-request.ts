/** A notification that is not taken, and the HTTP status that says so. The message is for the receiver's own log. */
export class RefusedPush extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A request to a webhook, whatever HTTP framework it came through. */
export interface PushRequest {
  readonly method: string;
  /** URL of the request as the framework has it, absolute or from the path on. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The very bytes that came, as they are what was signed; or their text. */
  readonly body: Uint8Array | string;
}

/** The value of a header; undefined when it is absent or there are several. */
export function headerOf({ headers }: PushRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}
