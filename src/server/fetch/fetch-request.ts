import type { ClientCertificate } from "../../auth/incoming-request.js";
import type { AgentServer } from "../agent-server.js";
import type { Reached } from "../forwarded.js";
import type { AnswerConnection } from "../host.js";
import { ServerRequest } from "../server-request.js";
import type { FetchBodyReader } from "./read-body.js";

/** What a runtime knows about a request besides the request itself. */
export interface RequestInfo {
  /** IP address at the other end of the connection. It distinguishes callers without an identity. */
  readonly address?: string | undefined;
  /** The certificate that the client has shown, where the runtime ends TLS and checks certificates. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Keeps the process running until a promise settles, where the runtime stops it with the answer. */
  waitUntil?(work: Promise<unknown>): void;
  /** Path at which an application has mounted the handler: it ends before the slash with which the agents' paths begin. */
  readonly base?: string | undefined;
  /** The body as a parser of the framework has left it. */
  readonly parsed?: unknown;
  /** Answers a request that is for no agent, as the next handler of an application. Without it such a request gets status 404. */
  next?(): Response | Promise<Response>;
  /** The request as the framework has it; `auth.authenticate` finds it in `source` of what it is asked about. */
  readonly source?: unknown;
}

/** A `Request` to an agent server. */
export class FetchRequest extends ServerRequest {
  readonly method: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fieldCount: number;
  readonly connection: FetchConnection;
  readonly reached: Reached;
  readonly #request: Request;
  readonly #info: RequestInfo;
  readonly #reader: FetchBodyReader;

  constructor(request: Request, info: RequestInfo, server: AgentServer, reader: FetchBodyReader) {
    const { protocol, host, pathname, search } = new URL(request.url);
    const { base = "" } = info;
    super(pathname.slice(base.length) || "/", server);
    const fields = [...request.headers];
    this.method = request.method;
    this.query = search.slice(1);
    this.headers = Object.fromEntries(fields);
    this.fieldCount = fields.length;
    this.connection = new FetchConnection(request.signal);
    this.reached = {
      protocol: protocol === "https:" ? "https" : "http",
      // Some frameworks give every request the URL of their own configuration.
      host: this.headers.host ?? host,
      local: host,
      base,
    };
    this.#request = request;
    this.#info = info;
    this.#reader = reader;
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

/** The connection of an answer as far as a `Request` tells of it: open until the runtime has got the whole answer, or its caller leaves. */
export class FetchConnection implements AnswerConnection {
  closed = false;
  writableFinished = false;
  /** Whether the caller has left, so that the rest of the answer has no reader. */
  get isLeft(): boolean {
    return this.#signal.aborted;
  }
  readonly #listeners = new Set<() => void>();
  readonly #signal: AbortSignal;

  /** @param signal aborts when the caller leaves */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    if (signal.aborted) this.closed = true;
    else signal.addEventListener("abort", this.close, { once: true });
  }

  once(_event: "close", listener: () => void): void {
    this.#listeners.add(listener);
  }

  off(_event: "close", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** The runtime has got the whole answer. */
  finish(): void {
    if (!this.closed) this.writableFinished = true;
    this.close();
  }

  /** No more of the answer can leave. */
  readonly close = (): void => {
    if (this.closed) return;
    this.closed = true;
    this.#signal.removeEventListener("abort", this.close);
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  };
}
