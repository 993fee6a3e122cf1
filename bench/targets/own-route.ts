import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Ready, serveTarget } from "./control.js";
import { answerTo, isCall } from "./plain-route.js";

/** Path of the route, as that of the agents. */
const AT = "/agent";
/** Bytes of a body that a route takes, as an agent does. */
const BODY_LIMIT = 10_485_760;

async function listening(listener: RequestListener): Promise<Ready> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return readyAt((server.address() as AddressInfo).port);
}

const readyAt = (port: number): Ready => ({ port, jsonRpc: AT, httpJson: AT });

const text = { type: "string" } as const;
const message = {
  type: "object",
  required: ["messageId", "role", "parts"],
  properties: {
    messageId: text,
    role: { enum: ["ROLE_USER", "ROLE_AGENT"] },
    parts: {
      type: "array",
      minItems: 1,
      items: { type: "object", required: ["text"], properties: { text } },
    },
    contextId: text,
  },
} as const;
const envelope = (properties: object) => ({
  type: "object",
  required: ["jsonrpc", "id", ...Object.keys(properties)],
  properties: { jsonrpc: { const: "2.0" }, id: { type: ["string", "integer"] }, ...properties },
});

/** What a request must have, and what a response has, as JSON Schema. */
const schema = {
  body: envelope({
    method: text,
    params: { type: "object", required: ["message"], properties: { message } },
  }),
  response: { 200: envelope({ result: { type: "object", properties: { message } } }) },
};

/** A JSON route as users of each framework write it, with the bytes of an agent's answer, by the name of the target. */
const frameworks: Readonly<Record<string, () => Promise<Ready>>> = {
  async express() {
    const { default: express } = await import("express");
    const app = express();
    app.use(express.json({ limit: BODY_LIMIT }));
    app.post(AT, async (req, res) => {
      if (isCall(req.body)) res.json(await answerTo(req.body));
      else res.status(400).json({ error: "invalid" });
    });
    return listening(app);
  },
  async fastify() {
    const { fastify } = await import("fastify");
    const app = fastify({ bodyLimit: BODY_LIMIT });
    app.post(AT, { schema }, async ({ body }) => answerTo(body));
    return readyAt(Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port));
  },
  async hono() {
    const { Hono } = await import("hono");
    const { getRequestListener } = await import("@hono/node-server");
    const { validator } = await import("hono/validator");
    const app = new Hono();
    const checked = validator("json", (value, c) =>
      isCall(value) ? value : c.json({ error: "invalid" }, 400),
    );
    app.post(AT, checked, async (c) => c.json(await answerTo(c.req.valid("json"))));
    return listening(getRequestListener(app.fetch));
  },
};

await serveTarget({
  start: ({ name = "" }) =>
    frameworks[name]?.() ?? Promise.reject(new Error(`There is no framework ${name}`)),
});
