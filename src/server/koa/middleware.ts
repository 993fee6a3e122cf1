import type { IncomingMessage, ServerResponse } from "node:http";
import KoaRouter from "@koa/router";
import type { Context, Middleware, Next } from "koa";
import type { AgentServer } from "../agent-server.js";
import { baseOf, type NodeExchange, splitUrl } from "../node/exchange.js";
import { NodeHost } from "../node/node-host.js";

/** Creates the context of a request. */
type ContextOf = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A request for an operation. Its context is created on first use. */
class OperationExchange implements NodeExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string | undefined;
  readonly query: string;
  readonly base = "";
  readonly #contextOf: ContextOf;
  #context: unknown;

  constructor(
    { req, res, path, query }: Pick<NodeExchange, "req" | "res" | "path" | "query">,
    contextOf: ContextOf,
  ) {
    this.req = req;
    this.res = res;
    this.path = path;
    this.query = query;
    this.#contextOf = contextOf;
  }

  get source(): unknown {
    this.#context ??= this.#contextOf(this.req, this.res);
    return this.#context;
  }
}

/**
 * The middleware of an app. It passes requests for agents to a {@link NodeHost} and all others to the next middleware, so that an
 * application can have its own routes.
 */
export class AgentMiddleware {
  readonly #server: AgentServer;
  readonly #host: NodeHost;
  readonly #documents: Middleware;
  readonly #contextOf: ContextOf;

  /** @param contextOf creates a context of the app */
  constructor(server: AgentServer, contextOf: ContextOf) {
    this.#server = server;
    this.#contextOf = contextOf;
    this.#host = new NodeHost(server);
    this.#documents = this.#documentRoutes();
  }

  /**
   * Answers a request for an operation. It needs no context of Koa, which would cost an open stream a kilobyte with its listeners. One is
   * created only if the authentication asks for it.
   * @returns undefined if the request is for something else
   */
  answerOperation(req: IncomingMessage, res: ServerResponse): Promise<unknown> | undefined {
    const [path, query] = splitUrl(req.url ?? "");
    const route = path === undefined ? undefined : this.#host.router.find(path, req);
    if (route === undefined || !("binding" in route)) return undefined;
    const exchange = new OperationExchange({ req, res, path, query }, this.#contextOf);
    const turn = this.#host.enter(exchange);
    if (turn === undefined) return this.#host.answer(exchange, route);
    return turn.then((isTurn) => (isTurn ? this.#host.answer(exchange, route) : undefined));
  }

  handle(ctx: Context, next: Next): Promise<unknown> {
    const exchange = koaExchange(ctx);
    const turn = this.#host.enter(exchange);
    if (turn === undefined) return this.#handle(ctx, exchange, next);
    return turn.then((isTurn) => {
      ctx.respond = isTurn;
      return isTurn ? this.#handle(ctx, exchange, next) : undefined;
    });
  }

  /** Returns the promise of the function that answers, because another promise around it would cost time in every request. */
  #handle(ctx: Context, exchange: NodeExchange, next: Next): Promise<unknown> {
    const { router } = this.#host;
    const { path } = exchange;
    const route = path === undefined ? undefined : router.find(path, ctx);
    if (route === undefined) return this.#handleOther(ctx, exchange, next);
    const isDocument = !("binding" in route) && router.pages.get(path ?? "") !== route;
    if (isDocument) return this.#documents(ctx, next);
    ctx.respond = false;
    return this.#host.answer(exchange, route);
  }

  /** The routes of the documents. Operations have none, because route patterns cannot express the rules of their paths. */
  #documentRoutes(): Middleware {
    const routes = new KoaRouter({ sensitive: true, strict: true });
    for (const [path, document] of this.#host.router.documents)
      routes.all(path, async (ctx, next) => {
        if (document.yields) await this.#pass(ctx, next);
        if (document.yields && !isUnanswered(ctx)) return;
        ctx.respond = false;
        await this.#host.answer(koaExchange(ctx), document);
      });
    return routes.routes() as Middleware;
  }

  /** Handles a path of no agent. The application may have a route for it; a request line without a path is answered here. */
  async #handleOther(ctx: Context, exchange: NodeExchange, next: Next): Promise<void> {
    if (exchange.path !== undefined) await this.#pass(ctx, next);
    if (exchange.path !== undefined && !isUnanswered(ctx)) return;
    ctx.respond = false;
    this.#host.answerNothingHere(exchange);
  }

  /** Lets the application answer, with the headers of every answer of the server. */
  async #pass(ctx: Context, next: Next): Promise<void> {
    ctx.set(this.#server.headers);
    await next();
    if (this.#server.closing && !ctx.res.headersSent) ctx.set("Connection", "close");
  }
}

/** The exchange of a Koa context. */
export function koaExchange(ctx: Context): NodeExchange {
  const { req, res, url, originalUrl } = ctx;
  const { body: parsed } = ctx.request as { body?: unknown };
  const path = pathOf(ctx);
  const query = path === undefined ? "" : ctx.querystring;
  const base = path === undefined || originalUrl === url ? "" : baseOf(originalUrl, path);
  return { req, res, path, query, base, parsed, source: ctx };
}

/** Whether the application has not answered a request. */
function isUnanswered({ status, body, respond }: Context): boolean {
  return status === 404 && body === undefined && respond !== false;
}

/** The path of a request, still percent-encoded; undefined for an invalid request line, for which Koa throws. */
function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}
