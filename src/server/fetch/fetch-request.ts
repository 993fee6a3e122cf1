import type { ClientCertificate } from "../../auth/incoming-request.js";
import type { AgentServer } from "../agent-server.js";
import { isHost, type Reached } from "../forwarded.js";
import type { AnswerConnection } from "../host.js";
import { ServerRequest } from "../server-request.js";
import type { FetchBodyReader } from "./read-body.js";

/** What a runtime knows about a request besides the request itself. */
export interface RequestInfo {
  /** IP address at the other end of the connection. It distinguishes callers without an identity. */
  readonly address?: string | undefined;
  /** The certificate of the client, on a runtime that terminates TLS and checks certificates. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Keeps the process running until a promise settles, on a runtime that otherwise stops it after the response. */
  waitUntil?(work: Promise<unknown>): void;
  /** Path at which an application has mounted the handler. The paths of requests begin with it. */
  readonly base?: string | undefined;
  /** The body as a parser of the framework has left it. */
  readonly parsed?: unknown;
  /** Answers a request that is for no agent, like the next handler of an application. Without it such a request gets status 404. */
  next?(): Response | Promise<Response>;
  /** The framework's own object for the request, which `auth.authenticate` gets as `source`. */
  readonly source?: unknown;
}

/** A `Request` to an agent server. */
export class FetchRequest extends ServerRequest {
  readonly method: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fieldCount: number;
  readonly connection: FetchConnection;
  /** Path at which an application has mounted the agents; `""` at its root. */
  readonly base: string;
  readonly #protocol: string;
  readonly #host: string;
  readonly #request: Request;
  readonly #info: RequestInfo;
  readonly #reader: FetchBodyReader;

  constructor(request: Request, info: RequestInfo, server: AgentServer, reader: FetchBodyReader) {
    const { protocol, host, path, query } = urlParts(request.url);
    const base = withoutSlash(info.base ?? "");
    super(path.slice(base.length) || "/", server);
    const headers: Record<string, string> = {};
    let fieldCount = 0;
    for (const [name, value] of request.headers) {
      headers[name] = value;
      fieldCount += 1;
    }
    this.method = request.method;
    this.query = query;
    this.headers = headers;
    this.fieldCount = fieldCount;
    this.connection = new FetchConnection(request, server);
    this.base = base;
    this.#protocol = protocol;
    this.#host = host;
    this.#request = request;
    this.#info = info;
    this.#reader = reader;
  }

  get reached(): Reached {
    const host = this.#host;
    return {
      protocol: this.#protocol === "https" ? "https" : "http",
      // Some frameworks give every request the URL of their own configuration.
      host: this.headers.host ?? host,
      // Runtimes differ in what they make of a `Host` with a user's name or a path in it.
      local: isHost(host) ? host : "localhost",
      base: this.base,
    };
  }

  get peerAddress(): string | undefined {
    return this.#info.address;
  }

  override get source(): unknown {
    return this.#info.source;
  }

  get parsed(): unknown {
    return this.#info.parsed;
  }

  get certificate(): ClientCertificate | undefined {
    return this.#info.clientCertificate;
  }

  readBody(): Promise<string | undefined> {
    return this.#reader(this.#request, this);
  }
}

/** Protocol, host, path and query of the URL of a `Request`, which is absolute and in normal form: a parser would cost more. */
export function urlParts(url: string): Readonly<Record<"protocol" | "host" | "path" | "query", string>> {
  const fragment = url.indexOf("#");
  const whole = fragment < 0 ? url : url.slice(0, fragment);
  const colon = whole.indexOf("://");
  const start = colon + "://".length;
  const mark = whole.indexOf("?", start);
  const end = mark < 0 ? whole.length : mark;
  const slash = whole.indexOf("/", start);
  const pathAt = slash < 0 || slash > end ? end : slash;
  return {
    protocol: whole.slice(0, Math.max(colon, 0)),
    host: whole.slice(start, pathAt),
    path: whole.slice(pathAt, end) || "/",
    query: whole.slice(end + 1),
  };
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/**
 * The connection of an answer, as far as a `Request` shows it: open until the runtime has received the whole answer, or the caller leaves.
 * The signal of the request is read only when an answer takes a while, because runtimes create it on first use, at a cost.
 */
export class FetchConnection implements AnswerConnection {
  writableFinished = false;
  readonly #request: Pick<Request, "signal">;
  readonly #server: Pick<AgentServer, "leave">;
  /** Created only for answers that take a while. */
  #listeners: Set<() => void> | undefined;
  /** Aborts when the caller leaves. */
  #signal: AbortSignal | undefined;
  #isClosed = false;

  /** @param server notified when the answer has left, or can no longer leave */
  constructor(request: Pick<Request, "signal">, server: Pick<AgentServer, "leave">) {
    this.#request = request;
    this.#server = server;
  }

  get closed(): boolean {
    if (!this.#isClosed && this.#signal === undefined) this.#watch();
    return this.#isClosed;
  }

  /** Whether the caller has left, so that the rest of the answer has no reader. */
  get isLeft(): boolean {
    return this.#signal?.aborted === true;
  }

  once(_event: "close", listener: () => void): void {
    if (this.closed) return;
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  off(_event: "close", listener: () => void): void {
    this.#listeners?.delete(listener);
  }

  /** Called when the runtime has received the whole answer. */
  finish(): void {
    if (!this.#isClosed) this.writableFinished = true;
    this.close();
  }

  /** Called when no more of the answer can leave. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#signal?.removeEventListener("abort", this);
    this.#server.leave();
    const listeners = [...(this.#listeners ?? [])];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** Called by the signal of the request when the caller has left. */
  handleEvent(): void {
    this.close();
  }

  #watch(): void {
    const { signal } = this.#request;
    this.#signal = signal;
    if (signal.aborted) this.close();
    else signal.addEventListener("abort", this, { once: true });
  }
}
