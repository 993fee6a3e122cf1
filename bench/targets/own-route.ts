import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Ready, serveTarget } from "./control.js";
import { PlainAgent } from "./plain-agent.js";

/** Path of the route, as that of the agents. */
const AT = "/agent";
const plain = new PlainAgent();

async function listening(listener: RequestListener): Promise<Ready> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return readyAt((server.address() as AddressInfo).port);
}

const readyAt = (port: number): Ready => ({ port, jsonRpc: AT, httpJson: AT });

async function answerTo({ id, params }: any): Promise<object> {
  return { jsonrpc: "2.0", id, result: await plain.send(params) };
}

/** A JSON route as users of each framework write it, with the bytes of an agent's answer, by the name of the target. */
const frameworks: Readonly<Record<string, () => Promise<Ready>>> = {
  async express() {
    const { default: express } = await import("express");
    const app = express();
    app.use(express.json({ limit: "10mb" }));
    app.post(AT, async (req, res) => {
      res.json(await answerTo(req.body));
    });
    return listening(app);
  },
  async fastify() {
    const { fastify } = await import("fastify");
    const app = fastify({ bodyLimit: 10_485_760 });
    app.post(AT, async ({ body }) => answerTo(body));
    return readyAt(Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port));
  },
  async hono() {
    const { Hono } = await import("hono");
    const { getRequestListener } = await import("@hono/node-server");
    const app = new Hono();
    app.post(AT, async (c) => c.json(await answerTo(await c.req.json())));
    return listening(getRequestListener(app.fetch));
  },
};

await serveTarget({
  start: ({ name = "" }) =>
    frameworks[name]?.() ?? Promise.reject(new Error(`There is no framework ${name}`)),
});
