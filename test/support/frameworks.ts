import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fastifyCompress from "@fastify/compress";
import { getRequestListener } from "@hono/node-server";
import compression from "compression";
import express, { type Request as ExpressRequest } from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { compress } from "hono/compress";
import Koa, { type Context } from "koa";
import { koaBody } from "koa-body";
import koaCompress from "koa-compress";
import mount from "koa-mount";
import type { Principal } from "../../src/protocol/call-context.js";
import { expressHandler } from "../../src/server/express/index.js";
import { fastifyAgents } from "../../src/server/fastify/index.js";
import { honoHandler } from "../../src/server/hono/index.js";
import type { Agents, ServerOptions } from "../../src/server/index.js";
import { koaMiddleware } from "../../src/server/koa/index.js";
import { nextHandlers } from "../../src/server/next/index.js";
import { nodeListener } from "../../src/server/node/index.js";

/** What an application has around the agents. */
export interface Around {
  /** Where the agents are mounted; `""` for the root. */
  readonly at: string;
  /** Reads bodies before the agents: and leaves them on the request as parsers do, or keeps them. */
  readonly reads?: "parses" | "consumes";
  readonly compresses?: boolean;
  /** Identifies callers by the header `x-user` of the request as the framework has it. */
  readonly identifies?: boolean;
}

/** An application that listens. */
export interface Running {
  /** URL of the application, not of the agents. */
  readonly url: string;
  readonly port: number;
  close(grace?: number): Promise<void>;
}

/** Starts an application of a framework with agents in it, a route `/app` before them, and routes `/` and `/later` after them. */
export type Embed = (agents: Agents, options: ServerOptions, around: Around) => Promise<Running>;

const user = (id: unknown): Principal | undefined => (typeof id === "string" ? { id } : undefined);

async function listening(server: Server, close: (grace?: number) => Promise<unknown>): Promise<Running> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close(grace) {
      const closed = once(server, "close");
      server.close();
      await close(grace);
      server.closeAllConnections();
      await closed;
    },
  };
}

const drain = async (req: AsyncIterable<unknown>) => {
  for await (const _ of req);
};

/** Every adapter by the name of its framework. */
export const frameworks: Readonly<Record<string, Embed>> = {
  node(agents, options, { at, reads, identifies }) {
    const principal = (req: { headers: Record<string, unknown> }) => user(req.headers["x-user"]);
    const places = at === "" ? agents : { [at]: agents as never };
    const agent = nodeListener(places, { ...options, ...(identifies && { principal: principal as never }) });
    const listener: RequestListener = async (req, res) => {
      if (req.url === "/app") return void res.end("app");
      if (reads === "consumes") await drain(req);
      if (reads === "parses") {
        const pieces: Buffer[] = [];
        for await (const piece of req) pieces.push(piece);
        if (pieces.length > 0) Object.assign(req, { body: JSON.parse(Buffer.concat(pieces).toString()) });
      }
      const after = { "/": "root", "/later": "later" }[req.url ?? ""];
      agent(req, res, () => (after === undefined ? res.writeHead(404).end() : res.end(after)));
    };
    return listening(createServer(listener), agent.close);
  },

  express(agents, options, { at, reads, compresses, identifies }) {
    const app = express();
    const principal = (req: ExpressRequest) => user(req.get("x-user"));
    const agent = expressHandler(agents, { ...options, ...(identifies && { principal }) });
    app.get("/app", (_req, res) => void res.send("app"));
    if (compresses) app.use(compression({ threshold: 0 }));
    if (reads === "parses") app.use(express.json({ type: ["application/json", "application/a2a+json"] }));
    if (reads === "consumes") app.use((req, _res, next) => void drain(req).then(() => next()));
    app.use(at || "/", agent);
    app.get("/", (_req, res) => void res.send("root"));
    app.get("/later", (_req, res) => void res.send("later"));
    return listening(createServer(app), agent.close);
  },

  async fastify(agents, options, { at, compresses, identifies }) {
    const app = fastify({ forceCloseConnections: true });
    const principal = (request: { headers: Record<string, unknown> }) => user(request.headers["x-user"]);
    app.get("/app", () => "app");
    if (compresses) await app.register(fastifyCompress, { threshold: 0 });
    await app.register(
      fastifyAgents(agents, { ...options, ...(identifies && { principal: principal as never }) }),
      {
        prefix: at,
      },
    );
    app.get("/", () => "root");
    app.get("/later", () => "later");
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    return { url, port: Number(new URL(url).port), close: () => app.close() };
  },

  hono(agents, options, { at, reads, compresses, identifies }) {
    const app = new Hono();
    const principal = (c: { req: { header(name: string): string | undefined } }) =>
      user(c.req.header("x-user"));
    const agent = honoHandler(agents, { ...options, ...(identifies && { principal: principal as never }) });
    app.get("/app", (c) => c.text("app"));
    if (compresses) app.use(compress());
    if (reads !== undefined)
      app.use(async (c, next) => {
        if (c.req.method === "POST") await (reads === "parses" ? c.req.json() : c.req.raw.arrayBuffer());
        await next();
      });
    app.use(`${at}/*`, agent);
    app.get("/", (c) => c.text("root"));
    app.get("/later", (c) => c.text("later"));
    return listening(createServer(getRequestListener(app.fetch)), agent.close);
  },

  koa(agents, options, { at, reads, compresses, identifies }) {
    const app = new Koa();
    const principal = (ctx: Context) => user(ctx.get("x-user") || undefined);
    const agent = koaMiddleware(agents, { ...options, ...(identifies && { principal }) });
    app.use(async (ctx, next) => {
      if (ctx.path === "/app") ctx.body = "app";
      else await next();
    });
    if (compresses) app.use(koaCompress({ threshold: 0 }));
    if (reads === "parses") app.use(koaBody({ jsonTypes: ["application/json", "application/a2a+json"] }));
    if (reads === "consumes") app.use(async (ctx, next) => drain(ctx.req).then(next));
    app.use(mount(at || "/", agent));
    app.use((ctx) => {
      if (ctx.path === "/") ctx.body = "root";
      if (ctx.path === "/later") ctx.body = "later";
    });
    return listening(createServer(app.callback()), agent.close);
  },

  /** As Next calls route handlers; its real server has a test of its own. */
  next(agents, options, { at, reads, identifies }) {
    const principal = (request: Request) => user(request.headers.get("x-user") ?? undefined);
    const handlers = nextHandlers(agents, { ...options, ...(identifies && { principal }) });
    const answer = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      if (pathname === "/app") return new Response("app");
      if (!pathname.startsWith(`${at}/`) && pathname !== at)
        return new Response(pathname === "/" ? "root" : "later");
      if (reads === "consumes" && request.body !== null) await request.arrayBuffer();
      const path = pathname.slice(at.length + 1).split("/");
      const params = Promise.resolve(pathname === at || path.join("") === "" ? {} : { path });
      const handler = handlers[request.method as "GET"] ?? (() => new Response(null, { status: 405 }));
      return handler(request, { params });
    };
    return listening(createServer(getRequestListener(answer)), handlers.close);
  },
};
