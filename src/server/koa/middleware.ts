import type { ServerResponse } from "node:http";
import KoaRouter from "@koa/router";
import type { Context, Middleware, Next } from "koa";
import type { AgentServer } from "../agent-server.js";
import { callerAddress } from "../forwarded.js";
import type { StreamReply } from "../host.js";
import { Router, type ServedRoute } from "../router.js";
import { EventStream } from "./event-stream.js";
import { NodeRequest } from "./node-request.js";
import { isAhead, Pipelining } from "./pipelining.js";
import { type BodyReader, bodyReader, discardBody } from "./read-body.js";
import { endOfTurn, send } from "./send.js";
import { StalledReaders } from "./stalled-readers.js";

/**
 * The middleware of an app: makes a {@link NodeRequest} of what Koa hands on, lets the router answer, and writes the answer. What
 * belongs to no agent is passed on, so that an application can have routes of its own.
 */
export class AgentMiddleware {
  readonly #server: AgentServer;
  readonly #router: Router;
  readonly #documents: Middleware;
  readonly #readBody: BodyReader;
  readonly #readers: StalledReaders;
  readonly #pipelining: Pipelining;
  readonly #left: (this: ServerResponse) => void;

  constructor(server: AgentServer) {
    const { settings, appLimits } = server;
    const readers = new StalledReaders(settings.limits.writeTime, (res, unsent) => this.#cut(res, unsent));
    server.onClosed = () => readers.stop();
    this.#server = server;
    this.#router = new Router(server);
    this.#documents = this.#documentRoutes();
    this.#readBody = bodyReader(settings.limits.body, appLimits.received);
    this.#readers = readers;
    this.#pipelining = new Pipelining(appLimits.received);
    this.#left = function () {
      server.leave();
      readers.delete(this);
    };
  }

  async handle(ctx: Context, next: Next): Promise<void> {
    const server = this.#server;
    if (isAhead(ctx.res) && !(await this.#pipelining.turn(ctx))) {
      ctx.respond = false;
      return;
    }
    this.#count(ctx.res);
    ctx.set(server.headers);
    try {
      const path = pathOf(ctx);
      if (path === undefined) return send(ctx, this.#router.invalidAddress);
      const route = this.#router.find(path, ctx);
      if (route === undefined) await this.#stranger(ctx, next);
      else if ("binding" in route || this.#router.pages.get(path) === route)
        await this.#answer(ctx, path, route);
      else await this.#documents(ctx, next);
    } finally {
      if (server.closing && !ctx.res.headersSent) ctx.set("Connection", "close");
    }
  }

  /** The routes of the documents. Operations do not pass them: their paths have rules that patterns of routes cannot say. */
  #documentRoutes(): Middleware {
    const routes = new KoaRouter({ sensitive: true, strict: true });
    for (const [path, document] of this.#router.documents)
      routes.all(path, async (ctx, next) => {
        if (document.yields) await next();
        if (!document.yields || isUnanswered(ctx)) await this.#answer(ctx, path, document);
      });
    return routes.routes() as Middleware;
  }

  async #answer(ctx: Context, path: string, route: ServedRoute): Promise<void> {
    this.#readers.add(ctx.res);
    const request = new NodeRequest(ctx, path, this.#server, this.#readBody);
    try {
      const reply = await this.#router.answer(request, route);
      if ("frames" in reply) await this.#stream(ctx, request, reply);
      else {
        await endOfTurn();
        send(ctx, reply, request.room);
      }
    } catch (error) {
      send(ctx, this.#router.refuse(request, error, route), request.room);
    } finally {
      discardBody(ctx.req);
    }
  }

  /** Counts a request until its answer has left, or cannot leave any more. */
  #count(res: ServerResponse): void {
    if (res.closed) return;
    this.#server.enter();
    res.once("close", this.#left);
  }

  async #stream(ctx: Context, request: NodeRequest, reply: StreamReply): Promise<void> {
    const { streams, settings } = this.#server;
    const { logger } = settings;
    const abort = () => request.abort();
    const ended = new EventStream({
      answer: request.room,
      res: ctx.res,
      reply,
      abort,
      streams,
      logger,
    }).run();
    ctx.respond = false;
    await ended;
  }

  /** A path of no agent: the application may know it. Its errors are its own. */
  async #stranger(ctx: Context, next: Next): Promise<void> {
    await next();
    if (isUnanswered(ctx)) {
      const request = new NodeRequest(ctx, ctx.path, this.#server, this.#readBody);
      send(ctx, this.#router.nothingHere(request), request.room);
    }
  }

  /** Closes the connection of a reader that takes nothing, so that the system drops what it holds for the reader as well. */
  #cut(res: ServerResponse, unsent: number): void {
    const { headers, socket } = res.req;
    const { trustProxy } = this.#server.settings;
    this.#server.reportCut(callerAddress(headers, socket.remoteAddress, trustProxy), unsent);
    try {
      res.socket?.resetAndDestroy();
    } catch {
      // Only plain TCP has a reset: not TLS, and not a socket of this machine.
      res.destroy();
    }
  }
}

/** Whether the application has left a request alone. */
function isUnanswered({ status, body, respond }: Context): boolean {
  return status === 404 && body === undefined && respond !== false;
}

/** Path of a request, percent-encoding untouched; undefined when the request line is not right, for which Koa throws. */
function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}
