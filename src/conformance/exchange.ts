/** A request and what came of it, as a report shows them. Credentials are left out. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: string;
  /** Absent when no answer came. */
  status?: number;
  responseHeaders?: Readonly<Record<string, string>>;
  /** Cut off behind some thousand characters. */
  responseBody?: string;
}

/** Longer bodies are cut off in reports. */
const MAX_BODY = 4000;

/** A body as it goes into a report. */
export function cut(body: string): string {
  return body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)}… (${body.length} characters)` : body;
}
