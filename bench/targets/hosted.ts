import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Ready, serveTarget } from "./control.js";
import { agent } from "./parley-agent.js";

/** Where the agent is mounted. */
const AT = "/agent";

async function listening(listener: RequestListener): Promise<Ready> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return readyAt((server.address() as AddressInfo).port);
}

const readyAt = (port: number): Ready => ({ port, jsonRpc: AT, httpJson: AT });

/** Parley in an application of each framework, by the name of the target. */
const hosts: Readonly<Record<string, () => Promise<Ready>>> = {
  async "parley-fetch"() {
    const { createHandler } = await import("../../src/server/fetch/index.js");
    const { getRequestListener } = await import("@hono/node-server");
    const handler = createHandler({ [AT]: agent });
    return listening(getRequestListener((request) => handler(request)));
  },
  async "parley-node"() {
    const { nodeListener } = await import("../../src/server/node/index.js");
    return listening(nodeListener({ [AT]: agent }));
  },
  async "parley-express"() {
    const { expressHandler } = await import("../../src/server/express/index.js");
    const { default: express } = await import("express");
    const app = express();
    app.use(AT, expressHandler(agent));
    return listening(app);
  },
  async "parley-fastify"() {
    const { fastifyAgents } = await import("../../src/server/fastify/index.js");
    const { fastify } = await import("fastify");
    const app = fastify();
    await app.register(fastifyAgents(agent), { prefix: AT });
    return readyAt(Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port));
  },
  async "parley-hono"() {
    const { honoHandler } = await import("../../src/server/hono/index.js");
    const { Hono } = await import("hono");
    const { getRequestListener } = await import("@hono/node-server");
    const app = new Hono();
    app.use(`${AT}/*`, honoHandler(agent));
    return listening(getRequestListener(app.fetch));
  },
  async "parley-koa"() {
    const { koaMiddleware } = await import("../../src/server/koa/index.js");
    const { default: Koa } = await import("koa");
    const { default: mount } = await import("koa-mount");
    const app = new Koa();
    app.use(mount(AT, koaMiddleware(agent)));
    return listening(app.callback());
  },
};

await serveTarget({
  start: ({ name = "" }) => hosts[name]?.() ?? Promise.reject(new Error(`There is no host ${name}`)),
});
