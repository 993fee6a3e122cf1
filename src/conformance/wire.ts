import { timeoutOf } from "../async/clock.js";
import { EventStreamParser } from "../net/event-stream.js";
import { Deviation, Unanswered } from "./verdict.js";

/** A request and its response, as reports show them. Credentials are left out. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Cut off after 4,000 characters. */
  readonly requestBody?: string;
  /** Absent if there was no response. */
  status?: number;
  responseHeaders?: Readonly<Record<string, string>>;
  /** Cut off after 4,000 characters. */
  responseBody?: string;
}

/** Maximum length of a body in a report, in characters. */
const MAX_BODY = 4000;

/** Shortens a body for a report. */
function cut(body: string): string {
  return body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)}… (${body.length} characters)` : body;
}

/** A caller other than the main one: without credentials, or with those of a second caller. */
export type OtherCaller = "anonymous" | "other";

/** An HTTP request. */
interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The caller, if it is not the main one. */
  readonly as?: OtherCaller;
  /** Sends the request in place of the `fetch` of the run. */
  readonly fetch?: typeof fetch;
}

/** An HTTP response with its body. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** An open event stream. */
export interface WireStream {
  readonly headers: Headers;
  readonly status: number;
  /** The `data` of each event, to the end of the body. */
  readonly data: AsyncGenerator<string>;
  close(): void;
}

/** Options of a {@link Wire}. */
interface WireOptions {
  readonly fetch: typeof fetch;
  /** Time limit of a response, and of each event of a stream, in seconds. */
  readonly responseTimeout: number;
  /** Adds the credentials of either caller to a request. */
  readonly authorize?: (url: URL, headers: Headers, isOther: boolean) => void;
  readonly signal: AbortSignal;
}

/** Maximum length of a stream, in characters. */
const MAX_STREAM = 20_000_000;

/** Sends plain HTTP requests and records the exchanges. */
export class Wire {
  readonly #options: WireOptions;
  #exchanges: Exchange[] = [];

  constructor(options: WireOptions) {
    this.#options = options;
  }

  get responseTimeout(): number {
    return this.#options.responseTimeout;
  }

  /** Returns the exchanges since the last call, and forgets them. */
  take(): Exchange[] {
    const taken = this.#exchanges;
    this.#exchanges = [];
    return taken;
  }

  /** Sends a request and reads the whole response, an event stream included. @throws Unanswered, Deviation */
  async send(call: HttpCall): Promise<Received> {
    const answer = await this.open(call);
    if (!("data" in answer)) return answer;
    const { status, headers } = answer;
    let body = "";
    try {
      for await (const data of answer.data) body += `data: ${data}\n\n`;
    } finally {
      answer.close();
    }
    return { status, headers, body };
  }

  /** Sends a request, and leaves an event stream open for its reader. @throws Unanswered */
  async open(call: HttpCall): Promise<Received | WireStream> {
    const exchange = this.#record(call);
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, stop.signal]);
    const response = await this.#within(stop, this.#fetch(call, signal));
    const { status, headers } = response;
    Object.assign(exchange, { status, responseHeaders: Object.fromEntries(headers) });
    const { body } = response;
    if (body !== null && headers.get("content-type")?.startsWith("text/event-stream")) {
      return { status, headers, data: this.#read(body, exchange, stop), close: () => stop.abort() };
    }
    const text = await this.#within(stop, response.text());
    exchange.responseBody = cut(text);
    return { status, headers, body: text };
  }

  #record({ method, url, headers, body }: HttpCall): Exchange {
    const exchange: Exchange = {
      ...{ method, url, requestHeaders: headers },
      ...(body !== undefined && { requestBody: cut(body) }),
    };
    this.#exchanges.push(exchange);
    return exchange;
  }

  #fetch({ method, url, headers, body, as, fetch }: HttpCall, signal: AbortSignal): Promise<Response> {
    const target = new URL(url);
    const fields = new Headers(headers);
    if (as !== "anonymous") this.#options.authorize?.(target, fields, as === "other");
    const init = { method, headers: fields, signal, redirect: "manual" } as const;
    if (fetch !== undefined) return fetch(target, { ...init, ...(body !== undefined && { body }) });
    return this.#options.fetch(target, {
      ...init,
      // Bytes, because `fetch` would add a Content-Type to a string.
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
    });
  }

  async *#read(
    body: ReadableStream<Uint8Array>,
    exchange: Exchange,
    stop: AbortController,
  ): AsyncGenerator<string> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventStreamParser();
    let size = 0;
    try {
      for (;;) {
        const { done, value } = await this.#within(stop, reader.read());
        if (done) return;
        const text = decoder.decode(value, { stream: true });
        size += text.length;
        if (size > MAX_STREAM) throw new Deviation(`the stream has more than ${MAX_STREAM} characters`);
        exchange.responseBody = cut((exchange.responseBody ?? "") + text);
        for (const { data } of parser.feed(text)) yield data;
      }
    } finally {
      stop.abort();
    }
  }

  /** Waits for an answer within the time limit. */
  async #within<T>(stop: AbortController, answer: Promise<T>): Promise<T> {
    const { responseTimeout, signal } = this.#options;
    const timer = setTimeout(() => stop.abort(), timeoutOf(responseTimeout * 1000));
    try {
      return await answer;
    } catch (cause) {
      signal.throwIfAborted();
      const text = stop.signal.aborted
        ? `no answer within ${responseTimeout} seconds`
        : `the connection failed: ${causeOf(cause)}`;
      throw new Unanswered(text, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The message of an error's cause, which for `fetch` names what failed; else that of the error. */
function causeOf(thrown: unknown): string {
  const { message = String(thrown), cause } = Object(thrown) as { message?: string; cause?: unknown };
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}
