import type { ServerResponse } from "node:http";
import { endOfTurn } from "../../async/end-of-turn.js";
import type { AgentServer } from "../agent-server.js";
import { callerAddress } from "../forwarded.js";
import type { BodyReply, StreamReply } from "../host.js";
import type { ReplyHeaders } from "../operation-request.js";
import { Router, type ServedRoute } from "../router.js";
import { EventStream } from "./event-stream.js";
import type { NodeExchange } from "./exchange.js";
import { NodeRequest } from "./node-request.js";
import { isAhead, Pipelining } from "./pipelining.js";
import { type BodyReader, bodyReader, discardBody } from "./read-body.js";
import { send } from "./send.js";
import { StalledReaders } from "./stalled-readers.js";

/** Logged when requests come over a version of HTTP whose responses are other objects, with other rules for backpressure. */
const NOT_HTTP_1 =
  "A request over HTTP/2 was refused: let the application listen with HTTP/1.1, and a proxy accept HTTP/2, or serve the agents with a2a-parley/hono";

const lastAnswer: ReplyHeaders = Object.freeze({ Connection: "close" });
/** The result of {@link NodeHost.handle} for a request that is for no agent and no document. */
const notOurs = Promise.resolve(false);

/**
 * Serves agents on HTTP servers of Node, with or without a framework. It creates a {@link NodeRequest}, lets the router answer it, and
 * writes the response to the connection.
 */
export class NodeHost {
  readonly router: Router;
  readonly #server: AgentServer;
  readonly #readBody: BodyReader;
  readonly #readers: StalledReaders;
  readonly #pipelining: Pipelining;
  #hasRefusedHttp2 = false;
  readonly #left: (this: ServerResponse) => void;

  constructor(server: AgentServer) {
    const { settings, appLimits } = server;
    const readers = new StalledReaders(settings.limits.writeTime, (res, unsent) => this.#cut(res, unsent));
    server.onClosed = () => readers.stop();
    this.#server = server;
    this.router = new Router(server);
    this.#readBody = bodyReader(settings.limits.body, appLimits.received);
    this.#readers = readers;
    this.#pipelining = new Pipelining(appLimits.received);
    this.#left = function () {
      server.leave();
      readers.delete(this);
    };
  }

  /**
   * Answers a request if it is for an agent or a document, see {@link answer}. Leaves other requests as they are.
   * @returns whether it is for one of them
   */
  handle(exchange: NodeExchange): Promise<boolean> {
    const { loading } = this.#server;
    return loading === undefined ? this.#handle(exchange) : loading.then(() => this.#handle(exchange));
  }

  /** Returns the promise of {@link answer}, because another promise around it would cost time in every request. */
  #handle(exchange: NodeExchange): Promise<boolean> {
    const { req, path, base } = exchange;
    const route = path === undefined ? undefined : this.router.find(path, req);
    if (route === undefined || path === undefined) return notOurs;
    if (base === "" && this.router.isElsewhere(path, route)) return notOurs;
    const turn = this.enter(exchange);
    return turn === undefined
      ? this.answer(exchange, route)
      : turn.then((isTurn) => (isTurn ? this.answer(exchange, route) : true));
  }

  /**
   * Counts a request until its response was sent, or can no longer be sent.
   * @returns undefined if it can be answered now; otherwise a promise that resolves when the earlier responses on the connection were
   *   sent, with false if the connection was closed before
   */
  enter({ req, res }: NodeExchange): Promise<boolean> | undefined {
    if (!isAhead(res)) {
      this.#count(res);
      return undefined;
    }
    return this.#pipelining.turn(req, res).then((isTurn) => {
      if (isTurn) this.#count(res);
      return isTurn;
    });
  }

  /**
   * Answers a request that {@link enter} has counted. A stream has begun when the promise resolves: no function waits for its end.
   * @returns true, as {@link handle}
   */
  async answer(exchange: NodeExchange, route: ServedRoute): Promise<true> {
    const { req, res } = exchange;
    // Documents, such as the card beside gRPC, are sent whole and without a body to read.
    if (req.httpVersionMajor > 1 && "binding" in route) return this.#refuseHttp2(res);
    this.#readers.add(res);
    const request = new NodeRequest(exchange, this.#server, this.#readBody);
    this.#server.checkMount(exchange.base);
    let isStream = false;
    try {
      const reply = await this.router.answer(request, route);
      isStream = "frames" in reply;
      if ("frames" in reply) this.#stream(request, reply);
      else {
        await endOfTurn();
        this.#send(request, reply);
      }
    } catch (error) {
      this.#send(request, this.router.refuse(request, error, route));
    } finally {
      // The request of a stream was read.
      if (!isStream) discardBody(req);
    }
    return true;
  }

  /** Answers a request that is for no agent, with status 404, or 400 for a request line without a valid path. */
  answerNothingHere(exchange: NodeExchange): void {
    const request = new NodeRequest(exchange, this.#server, this.#readBody);
    const reply = exchange.path === undefined ? this.router.invalidAddress : this.router.nothingHere(request);
    this.#send(request, reply);
  }

  #refuseHttp2(res: ServerResponse): true {
    if (!this.#hasRefusedHttp2) this.#server.settings.logger.error({}, NOT_HTTP_1);
    this.#hasRefusedHttp2 = true;
    res.statusCode = 505;
    res.setHeader("Content-Type", "text/plain");
    res.end("This agent is served over HTTP/1.1, not over HTTP/2");
    return true;
  }

  #count(res: ServerResponse): void {
    if (res.closed) return;
    this.#server.enter();
    res.once("close", this.#left);
  }

  #send({ connection: res, room: answer }: NodeRequest, reply: BodyReply): void {
    const { closing, headers } = this.#server;
    send({ res, reply, answer, headers: closing ? { ...headers, ...lastAnswer } : headers });
  }

  #stream(request: NodeRequest, reply: StreamReply): void {
    const { streams, settings, headers } = this.#server;
    const { connection: res, room: answer } = request;
    const abort = () => request.abort();
    for (const name in headers) res.setHeader(name, headers[name] as string);
    new EventStream({ answer, res, reply, abort, streams, logger: settings.logger }).begin();
  }

  /** Resets the connection of a reader that receives nothing, so that the operating system drops its buffer as well. */
  #cut(res: ServerResponse, unsent: number): void {
    const { headers, socket } = res.req;
    const { trustProxy } = this.#server.settings;
    this.#server.reportCut(callerAddress(headers, socket.remoteAddress, trustProxy), unsent);
    try {
      res.socket?.resetAndDestroy();
    } catch {
      // Only plain TCP connections can be reset: not TLS, and not Unix domain sockets.
      res.destroy();
    }
  }
}
