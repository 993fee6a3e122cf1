import { runtime } from "#runtime";
import { endOfTurn } from "../../async/end-of-turn.js";
import { AgentServer, type Agents } from "../agent-server.js";
import type { BodyReply, HostResponse, StreamReply } from "../host.js";
import { SLICE } from "../outgoing/outgoing-answer.js";
import { Router, type ServedRoute } from "../router.js";
import type { ServerOptions } from "../settings.js";
import { OpenStreams } from "../streams/open-streams.js";
import { EventBody } from "./event-body.js";
import { FetchRequest, type RequestInfo } from "./fetch-request.js";
import { lostWork } from "./lost-work.js";
import { PulledBody, ReaderWatch } from "./pulled-body.js";
import { type FetchBodyReader, fetchBodyReader } from "./read-body.js";

/** A function that answers requests to agents. */
export interface FetchHandler {
  /**
   * A failure is a response in the form of the binding.
   * @throws CardError or TypeError for an invalid card or options, on platforms where servers start with the first request (Workers)
   */
  (request: Request, info?: RequestInfo): Promise<Response>;
  /**
   * Takes over the tasks and webhooks that earlier processes left unfinished in a durable store. Resolves when no executor is running
   * and no webhook is due. A process that stays alive does this by itself; call it from a scheduled event if the runtime stops processes.
   */
  tick(): Promise<void>;
  /**
   * Refuses new requests, ends open streams cleanly, waits for pending responses, stops the agents' executors and sends pending webhooks.
   * It returns at most a second after the grace. A second call returns at once.
   * @param grace seconds for responses and webhooks together; 10 by default
   */
  close(grace?: number): Promise<void>;
}

/**
 * Creates a function from `Request` to `Response` that serves one agent, or several by path, with the options of `createApp`. The runtime
 * listens, and limits headers, connections and the time of a request.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options
 * @example
 * ```ts
 * import { createHandler } from "a2a-parley/fetch";
 *
 * const handler = createHandler(agent);
 * export default { fetch: (request: Request) => handler(request), idleTimeout: 60 };
 * ```
 */
export function createHandler(agents: Agents, options: ServerOptions = {}): FetchHandler {
  let host: FetchHost | undefined;
  const begin = () => {
    if (host !== undefined) return host;
    const server = new AgentServer(agents, options);
    server.settleAt(undefined);
    host = new FetchHost(server, options);
    return host;
  };
  if (runtime.startsAtOnce) begin();
  return Object.assign((request: Request, info: RequestInfo = {}) => begin().handle(request, info), {
    tick: async () => begin().tick(),
    close: async (grace?: number) => host?.close(grace),
  });
}

/** Bytes up to which a body is passed to the runtime as a whole. Unsent bodies up to this size are not counted. */
const WHOLE = 16 * 1024;
/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const MAX_UTF8 = 3;
/** Number of checks in the time for which a reader may take nothing. */
const CHECKS = 4;

const encoder = new TextEncoder();

class FetchHost {
  readonly #server: AgentServer;
  readonly #router: Router;
  readonly #readBody: FetchBodyReader;
  readonly #options: ServerOptions;
  /** Whether the warning about work that the platform may lose was logged, or is not needed. */
  #isPlatformKnown = runtime.outlivesResponses;
  /** Bodies whose readers are watched. */
  readonly #readers: OpenStreams;

  constructor(server: AgentServer, options: ServerOptions) {
    const { limits } = server.settings;
    this.#options = options;
    this.#server = server;
    this.#router = new Router(server);
    this.#readBody = fetchBodyReader(limits.body, server.appLimits.received);
    this.#readers = new OpenStreams(limits.writeTime / CHECKS, limits.writeTime);
    server.onClosed = () => this.#readers.stop();
  }

  tick(): Promise<void> {
    return this.#server.tick();
  }

  close(grace?: number): Promise<void> {
    return this.#server.close(grace);
  }

  async handle(incoming: Request, info: RequestInfo): Promise<Response> {
    const server = this.#server;
    const request = new FetchRequest(incoming, info, server, this.#readBody);
    const { next } = info;
    if (next !== undefined && server.loading !== undefined) await server.loading;
    const route = this.#router.find(request.path, request);
    if (next !== undefined && this.#isElsewhere(request, route)) return next();
    if (!this.#isPlatformKnown) this.#reportPlatform(info);
    server.checkMount(request.base);
    server.enter();
    const reply =
      route === undefined ? this.#router.nothingHere(request) : await this.#router.answer(request, route);
    info.waitUntil?.(this.#allIdle());
    const response = this.#response(request, reply, route);
    // Created before, so that nothing but the writing of the responses is left for the end of the turn.
    const end = "frames" in reply ? undefined : endOfTurn();
    if (end !== undefined) await end;
    return response;
  }

  #response(request: FetchRequest, reply: HostResponse, route: ServedRoute | undefined): Response {
    try {
      return this.#respond(request, reply);
    } catch (error) {
      return this.#respond(request, this.#router.refuse(request, error, route));
    }
  }

  /** Waits for take-overs of tasks that have begun, then until no executor is running, and then until no webhook is due. */
  async #allIdle(): Promise<void> {
    const { loading, mounts } = this.#server;
    if (loading !== undefined) await loading;
    await Promise.all(mounts.map((mount) => mount.allIdle()));
  }

  /** With the first request: before it, it is not known whether the application passes `waitUntil`. */
  #reportPlatform(info: RequestInfo): void {
    this.#isPlatformKnown = true;
    const lost = lostWork(this.#options, info);
    if (lost !== undefined) this.#server.settings.logger.warn({}, lost);
  }

  #isElsewhere({ path, base }: FetchRequest, route: ServedRoute | undefined): boolean {
    return route === undefined || (base === "" && this.#router.isElsewhere(path, route));
  }

  /** @throws TypeError for a header that cannot be sent */
  #respond(request: FetchRequest, reply: HostResponse): Response {
    const { status } = reply;
    // A plain object, because servers for Node send one as it is, and would first have to read an instance of `Headers`.
    const headers = { ...reply.headers, ...this.#server.headers };
    try {
      for (const name in headers) checkValue(name, headers[name] as string);
      const body = "frames" in reply ? this.#stream(request, reply) : this.#body(request, reply, headers);
      return new Response(body, { status, headers });
    } catch (error) {
      if ("frames" in reply) void reply.frames[Symbol.asyncIterator]().return?.();
      throw error;
    }
  }

  #stream(request: FetchRequest, reply: StreamReply): ReadableStream<Uint8Array> {
    const { streams, settings } = this.#server;
    const { connection, room: answer } = request;
    const abort = () => request.abort();
    const body = new EventBody({ answer, connection, reply, abort, streams, logger: settings.logger });
    this.#watch(request, body.pulled);
    return body.pulled.stream;
  }

  #body(request: FetchRequest, reply: BodyReply, headers: Record<string, string>) {
    const { connection, room, method } = request;
    if (typeof reply.body === "string" && reply.body.length <= WHOLE / MAX_UTF8) {
      headers["Content-Length"] = String(runtime.byteLength(reply.body));
      connection.finish();
      return method === "HEAD" ? null : reply.body;
    }
    const bytes = typeof reply.body === "string" ? encoder.encode(reply.body) : reply.body;
    if (bytes !== null) headers["Content-Length"] = String(bytes.length);
    if (bytes === null || method === "HEAD" || bytes.length <= WHOLE) {
      connection.finish();
      return method === "HEAD" ? null : bytes;
    }
    if (!reply.shared) room.wrote(bytes.length);
    let at = 0;
    const pull = () => {
      if (at < bytes.length) body.give(bytes.subarray(at, at + SLICE));
      else {
        body.end();
        connection.finish();
      }
      at += SLICE;
    };
    const body = new PulledBody(pull, connection);
    this.#watch(request, body);
    return body.stream;
  }

  /** Breaks off a body whose reader receives nothing. */
  #watch(request: FetchRequest, body: PulledBody): void {
    const { connection } = request;
    const stalled = () => this.#server.reportCut(request.address, request.room.unsent);
    const watch = new ReaderWatch(body, { connection, stalled });
    this.#readers.add(watch);
    connection.once("close", () => this.#readers.delete(watch));
  }
}

/** Characters that the value of a header can have (RFC 9110 §5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Servers for Node that bring their own `Response` notice such a value only when they send it.
 * @throws TypeError for a value that cannot be sent
 */
function checkValue(name: string, value: string): void {
  if (!VALUE.test(value)) throw new TypeError(`The header ${name} has a value that cannot be sent`);
}
