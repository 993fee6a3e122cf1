import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, createServer, connect as openHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import mount from "koa-mount";
import { type TestContext, test } from "vitest";
import { defineAgent, reply } from "../../../src/index.js";
import { expressHandler } from "../../../src/server/express/index.js";
import { fastifyAgents } from "../../../src/server/fastify/index.js";
import { honoHandler } from "../../../src/server/hono/index.js";
import { koaMiddleware } from "../../../src/server/koa/index.js";
import { nextHandlers } from "../../../src/server/next/index.js";
import { nodeListener } from "../../../src/server/node/index.js";
import { frameworks } from "../../support/frameworks.js";
import { plainCard } from "../../support/peer.js";
import { callText, json, notebook, version } from "../scripted-agent.js";

// What people do who have not read the documentation.

const echo = (name = "Echo") =>
  defineAgent({ card: { ...plainCard, name }, execute: async ({ text }) => reply(`${name}: ${text}`) });

for (const name of ["node", "express", "hono", "koa"]) {
  // Hono's own parser fails on an empty body before the agent has it.
  for (const reads of name === "hono" ? (["consumes"] as const) : (["parses", "consumes"] as const)) {
    test(`an empty body is no body after code that ${reads} bodies [${name}]`, async (t) => {
      const embed = frameworks[name] ?? assert.fail();
      const { url, close } = await embed(echo(), {}, { at: "/agent", reads });
      t.onTestFinished(() => close(0));
      const answer = await fetch(`${url}/agent/tasks/unknown:cancel`, { method: "POST", headers: json });
      assert.equal(answer.status, 404);
      assert.match(await answer.text(), /TASK_NOT_FOUND/);
    });
  }
}

/** Status and text of the response to a POST over HTTP/2 without TLS. */
async function answerOverHttp2(session: ClientHttp2Session, path: string): Promise<[unknown, string]> {
  const request = session.request({ ":path": path, ":method": "POST", ...json });
  request.end(callText("SendMessage", "hi"));
  const [headers] = await once(request, "response");
  return [headers[":status"], await text(request)];
}

test("HTTP/2 is refused with status 505 and one log line, and other routes answer it", async (t) => {
  const { logger, entries } = notebook();
  const koa = new Koa().use(mount("/agent", koaMiddleware(echo(), { logger })));
  koa.use((ctx) => {
    ctx.body = "own";
  });
  const app = fastify({ http2: true, forceCloseConnections: true });
  await app.register(fastifyAgents(echo(), { logger }), { prefix: "/agent" });
  app.post("/own", (_request, response) => response.send("own"));
  const servers = [
    createServer(koa.callback()),
    createServer(nodeListener({ "/agent": echo() }, { logger }) as never),
  ];
  for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  for (const [index, at] of [...ports, Number(port)].entries()) {
    const session = openHttp2(`http://127.0.0.1:${at}`);
    t.onTestFinished(() => session.destroy());
    for (const path of ["/agent", "/agent/message:send"])
      assert.deepEqual(await answerOverHttp2(session, path), [
        505,
        "This agent is served over HTTP/1.1, not over HTTP/2",
      ]);
    const [status] = await answerOverHttp2(session, "/agent/.well-known/agent-card.json");
    assert.equal(status, 405);
    if (index !== 1) assert.deepEqual(await answerOverHttp2(session, "/own"), [200, "own"]);
    session.close();
  }
  t.onTestFinished(async () => {
    for (const server of servers) server.close();
    await app.close();
  });
  const lines = entries.flatMap(({ text }) => (/HTTP\/2/.test(text) ? [text] : []));
  assert.equal(lines.length, 3);
  assert.match(lines[0] ?? "", /a proxy accept HTTP\/2/);
});

test("Hono's app.mount fails with an error that names app.use", async () => {
  const app = new Hono();
  let message = "";
  app.onError((error, c) => {
    ({ message } = error);
    return c.text("own", 500);
  });
  app.mount("/agent", honoHandler(echo()) as never);
  await app.request("/agent/.well-known/agent-card.json");
  assert.match(message, /app\.use\("\/agent\/\*"/);
});

/** The URL that the card below a URL has. */
async function urlInCard(url: string): Promise<string> {
  const response = await fetch(`${url}/.well-known/agent-card.json`, { headers: version });
  const card = (await response.json()) as any;
  return card.supportedInterfaces[0].url;
}

/** Applications with an agent below a path with a parameter, and another agent below nested routers. */
const nested: Readonly<Record<string, (t: TestContext) => Promise<string>>> = {
  async express(t) {
    const app = express();
    const router = express.Router({ strict: true });
    app.use("/:team/agent", expressHandler(echo("Team")));
    router.use("/agent", expressHandler(echo("Nested")));
    app.use("/api/v1", router);
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  async fastify(t) {
    const app = fastify({ forceCloseConnections: true });
    t.onTestFinished(() => app.close());
    await app.register(fastifyAgents(echo("Team")), { prefix: "/:team/agent" });
    await app.register((inner) => inner.register(fastifyAgents(echo("Nested")), { prefix: "/agent" }), {
      prefix: "/api/v1",
    });
    return app.listen({ host: "127.0.0.1", port: 0 });
  },
};

for (const [name, start] of Object.entries(nested)) {
  test(`two agents of one application tell their URLs below parameters and nested routers [${name}]`, async (t) => {
    const url = await start(t);
    for (const [path, agent] of [
      ["/red/agent", "Team"],
      ["/a%2Fb/agent", "Team"],
      ["/%C3%BC/agent", "Team"],
      ["/api/v1/agent", "Nested"],
    ]) {
      assert.equal(await urlInCard(`${url}${path}`), `${url}${path}`);
      for (const end of ["", "/"]) {
        const response = await fetch(`${url}${path}${end}`, {
          ...{ method: "POST", headers: json, body: callText("SendMessage", "hi") },
        });
        const { result } = (await response.json()) as any;
        assert.equal(result.message.parts[0].text, `${agent}: hi`);
      }
    }
  });
}

test("fastifyAgents, registered without a call, says what to write", async (t) => {
  const app = fastify();
  t.onTestFinished(() => app.close());
  assert.throws(() => fastifyAgents(app as never, { prefix: "/agent" } as never), {
    message: "register fastifyAgents(agent), not fastifyAgents itself",
  });
});

test("publicUrl names the basePath of Next.js, which is not in the URL of a request", async (t) => {
  const publicUrl = "https://shop.example/base/agent";
  const { logger, texts } = notebook();
  const { GET, close } = nextHandlers(echo(), { publicUrl, logger });
  t.onTestFinished(() => close(0));
  const path = [".well-known", "agent-card.json"];
  const request = new Request(`https://shop.example/agent/${path.join("/")}`);
  const card = await GET(request, { params: Promise.resolve({ path }) });
  for (const one of ((await card.json()) as any).supportedInterfaces) assert.equal(one.url, publicUrl);
  assert.deepEqual(texts("warn"), []);
});
