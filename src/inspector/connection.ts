import type { AbortRequest, FetchHead, HeaderField } from "./api.js";
import type { FailedEvent, InspectorEvent } from "./events.js";
import { FrameReader, PAGE_HEADER, type Piece, TOKEN_HEADER, writeCall } from "./frames.js";
import { requestHeaders } from "./request-headers.js";

/** How the page reaches its server. */
export interface PageConnectionOptions {
  /** URL of the page, to which paths are relative. */
  readonly base: string | URL;
  /** Token of the launch, from the fragment of the page's URL. */
  readonly token: string;
  /** Receives every event, those of calls as well. */
  readonly onEvent: (event: InspectorEvent) => void;
  /** Called when the server is gone, or the connection to it. */
  readonly onClosed?: (reason: unknown) => void;
  readonly fetch?: typeof fetch;
}

/** What an agent is called for. */
export interface CallFor {
  /** URL of the agent that the person has opened. */
  readonly agent: string;
  readonly over?: FetchHead["over"];
  /** Largest answer in bytes; that of the session by default. */
  readonly maxBytes?: number;
  /** Receives the events and the pieces of each call, those of its number. */
  readonly watch?: (seen: InspectorEvent | Piece, head: FetchHead) => void;
}

/** Statuses whose answers have no body. */
const EMPTY = [204, 205, 304];

/** A call whose answer is awaited or read. */
interface OpenCall {
  readonly head: FetchHead;
  readonly purpose: CallFor;
  readonly answer: (response: Response) => void;
  readonly fail: (error: unknown) => void;
  body: ReadableStreamDefaultController<Uint8Array> | undefined;
}

/** The connection of a page to the server of `parley inspect`: its events, and a `fetch` that calls agents through it. Runs in browsers. */
export class InspectorConnection {
  readonly #options: PageConnectionOptions;
  readonly #calls = new Map<number, OpenCall>();
  readonly #leaving = new AbortController();
  #page = "";
  #last = 0;

  private constructor(options: PageConnectionOptions) {
    this.#options = options;
  }

  /**
   * Opens the events of a page.
   * @throws Error when the server does not accept the token, or is gone
   */
  static async open(options: PageConnectionOptions): Promise<InspectorConnection> {
    const connection = new InspectorConnection(options);
    await connection.#open();
    return connection;
  }

  /** A number for a call or a run of this page. */
  nextId(): number {
    this.#last += 1;
    return this.#last;
  }

  /** A `fetch` that calls an agent through the server. Redirects are returned, not followed. */
  fetchFor(purpose: CallFor): typeof fetch {
    return async (input, init) => {
      const request = new Request(input, init);
      const { signal } = request;
      signal.throwIfAborted();
      const head: FetchHead = {
        ...{ id: this.nextId(), method: request.method, url: request.url, agent: purpose.agent },
        headers: [...requestHeaders(request, init)] as HeaderField[],
        ...(purpose.over && { over: purpose.over }),
        ...(purpose.maxBytes !== undefined && { maxBytes: purpose.maxBytes }),
      };
      const body = new Uint8Array(await request.arrayBuffer());
      return this.#send(head, body, purpose, signal);
    };
  }

  /**
   * Sends a request of the API.
   * @param path below `api/`
   * @returns the answer's JSON; undefined without any
   * @throws Error with the message of the server
   */
  async request(method: string, path: string, value?: unknown): Promise<unknown> {
    const body = value === undefined ? undefined : JSON.stringify(value);
    const response = await this.#ask(method, path, body);
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  }

  /** Ends a call or a run. */
  abort(id: number): void {
    void this.request("POST", "abort", { id } satisfies AbortRequest).catch(() => undefined);
  }

  /** Closes the connection. The server ends all calls and runs of the page. */
  close(): void {
    this.#leaving.abort();
  }

  async #ask(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    signal?: AbortSignal,
  ): Promise<Response> {
    const { fetch: send = fetch, base, token } = this.#options;
    const headers = { [TOKEN_HEADER]: token, ...(this.#page && { [PAGE_HEADER]: this.#page }) };
    const init = { method, headers, ...(body !== undefined && { body }), ...(signal && { signal }) };
    const response = await send(new URL(`api/${path}`, base), init);
    if (response.ok) return response;
    const failure = (await response.json().catch(() => ({}))) as { message?: string };
    throw new Error(failure.message ?? `The inspector has answered ${response.status}`);
  }

  async #open(): Promise<void> {
    const { body } = await this.#ask("POST", "events", undefined, this.#leaving.signal);
    if (body === null) throw new Error("The inspector has no events");
    const reader = body.getReader();
    const frames = new FrameReader();
    while (this.#page === "") {
      const { done, value } = await reader.read();
      if (done) throw new Error("The inspector has closed the connection");
      this.#take(frames, value);
    }
    void this.#follow(reader, frames);
  }

  async #follow(reader: ReadableStreamDefaultReader<Uint8Array>, frames: FrameReader): Promise<void> {
    let reason: unknown = new Error("The inspector has closed the connection");
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read())
        this.#take(frames, next.value);
    } catch (error) {
      reason = error;
    }
    for (const call of this.#calls.values())
      this.#fail(call, new TypeError("The inspector is gone", { cause: reason }));
    this.#options.onClosed?.(reason);
  }

  #take(frames: FrameReader, bytes: Uint8Array): void {
    for (const { event, piece } of frames.read(bytes)) {
      if (piece !== undefined) this.#receive(piece);
      else this.#handle(event);
    }
  }

  #receive(piece: Piece): void {
    const call = this.#calls.get(piece.id);
    call?.purpose.watch?.(piece, call.head);
    call?.body?.enqueue(piece.bytes);
  }

  #handle(event: InspectorEvent): void {
    if (event.type === "opened") this.#page = event.page;
    const call = "id" in event ? this.#calls.get(event.id) : undefined;
    call?.purpose.watch?.(event, call.head);
    this.#options.onEvent(event);
    if (call === undefined) return;
    if (event.type === "answered") {
      const { status, statusText, headers } = event;
      call.answer(responseOf(this.#bodyOf(call, status), { status, statusText, headers }, call.head.url));
    } else if (event.type === "ended") {
      this.#calls.delete(event.id);
      call.body?.close();
    } else if (event.type === "failed") this.#fail(call, failureOf(event));
  }

  /** The body of an answer, which is filled as pieces arrive. */
  #bodyOf(call: OpenCall, status: number): ReadableStream<Uint8Array> | null {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        call.body = controller;
      },
      cancel: () => this.#leave(call),
    });
    if (!EMPTY.includes(status)) return body;
    call.body = undefined;
    return null;
  }

  #send(head: FetchHead, body: Uint8Array, purpose: CallFor, signal: AbortSignal): Promise<Response> {
    return new Promise<Response>((answer, fail) => {
      const call: OpenCall = { head, purpose, answer, fail, body: undefined };
      this.#calls.set(head.id, call);
      signal.addEventListener("abort", () => {
        if (!this.#calls.has(head.id)) return;
        this.#fail(call, signal.reason);
        this.abort(head.id);
      });
      this.#ask("POST", "fetch", writeCall(head, body)).catch((error: unknown) =>
        this.#fail(call, new TypeError("The inspector cannot make the call", { cause: error })),
      );
    });
  }

  #leave(call: OpenCall): void {
    call.body = undefined;
    this.#calls.delete(call.head.id);
    this.abort(call.head.id);
  }

  #fail(call: OpenCall, error: unknown): void {
    this.#calls.delete(call.head.id);
    call.fail(error);
    call.body?.error(error);
  }
}

function responseOf(
  body: ReadableStream<Uint8Array> | null,
  { status, statusText, headers }: { status: number; statusText: string; headers: readonly HeaderField[] },
  url: string,
): Response {
  const all = new Headers();
  for (const [name, value] of headers) all.append(name, value);
  return Object.defineProperty(new Response(body, { status, statusText, headers: all }), "url", {
    value: url,
  });
}

/**
 * The error of `fetch` for a call that failed, with what is known in its cause. The code has a name of its own, because clients show the
 * `code` of a cause instead of its message, and the message says what to do.
 */
function failureOf({ code, message }: FailedEvent): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(message), { failure: code }) });
}
