import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Context } from "koa";
import { type TestContext, test, vi } from "vitest";
import { defineAgent, reply } from "../../src/index.js";
import { type AgentApp, createApp } from "../../src/server/index.js";
import { plainCard, text } from "../support/peer.js";
import { json, notebook, until } from "./scripted-agent.js";

const agent = defineAgent({ card: plainCard, execute: ({ text }) => reply(text) });

/** Serves an app on a free port; returns its URL. */
async function listening(t: TestContext, app: AgentApp): Promise<string> {
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  t.onTestFinished(async () => {
    await app.close(0);
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function send(url: string, more: Record<string, string> = {}): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: text("hi") });
  const response = await fetch(url, { method: "POST", headers: { ...json, ...more }, body });
  return response.text();
}

test("an operation is answered without a context of Koa; the card and other paths have one", async (t) => {
  const app = createApp({ "/echo": agent });
  app.use((ctx) => {
    ctx.body = "other";
  });
  const contexts = vi.spyOn(app, "createContext");
  const url = await listening(t, app);
  assert.match(await send(`${url}/echo`), /"text":"hi"/);
  assert.equal(contexts.mock.calls.length, 0);
  assert.equal((await fetch(`${url}/echo/.well-known/agent-card.json`)).status, 200);
  assert.equal(await (await fetch(`${url}/other`)).text(), "other");
  assert.equal(contexts.mock.calls.length, 2);
});

test("authentication sees the context of Koa that belongs to an operation, the same one each time", async (t) => {
  const seen: unknown[] = [];
  const app = createApp(agent, {
    auth: {
      authenticate: ({ source }) => {
        const { path, cookies } = source as Context;
        seen.push(path, cookies.get("user"));
        return { id: "user" };
      },
    },
  });
  const contexts = vi.spyOn(app, "createContext");
  const url = await listening(t, app);
  assert.match(await send(url, { Cookie: "user=Ada" }), /"text":"hi"/);
  assert.deepEqual([seen, contexts.mock.calls.length], [["/", "Ada"], 1]);
});

test("a middleware that the application puts before the agents gets every request, operations as well", async (t) => {
  const app = createApp(agent);
  const seen: string[] = [];
  app.middleware.unshift(async (ctx, next) => {
    seen.push(ctx.path);
    if (ctx.get("X-Key") === "") ctx.status = 401;
    else await next();
  });
  const url = await listening(t, app);
  assert.equal(await send(url), "Unauthorized");
  assert.deepEqual(seen, ["/"]);
});

test("an answer that cannot be sent closes its connection, and the app reports it as it reports other failures", async (t) => {
  const app = createApp(agent, { publicUrl: "http://127.0.0.1" });
  const failures: unknown[] = [];
  app.on("error", (error: unknown, ctx?: Context) => failures.push(error, ctx?.path));
  const server = createServer((req, res) => {
    res.writeHead = () => {
      throw new TypeError("no headers");
    };
    void app.callback()(req, res);
  }).listen(0, "127.0.0.1");
  t.onTestFinished(async () => {
    await app.close(0);
    server.close();
  });
  await once(server, "listening");
  await assert.rejects(send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  assert.match(String(failures[0]), /no headers/);
  assert.equal(failures[1], "/");
});

test("an error of the application's middleware is logged as an error, one that the caller gets is not", async (t) => {
  const { logger, entries } = notebook();
  const app = createApp({ "/echo": agent }, { logger });
  app.use((ctx) => {
    if (ctx.path === "/refused") ctx.throw(400, "no");
    throw new Error("broken route");
  });
  const url = await listening(t, app);
  assert.equal((await fetch(`${url}/refused`)).status, 400);
  assert.equal((await fetch(`${url}/broken`)).status, 500);
  const found = entries.map(({ level, facts, text }) => [level, text, String((facts as any).err)]);
  assert.deepEqual(found, [["error", "A request failed", "Error: broken route"]]);
});

test("what fails because its caller has left is only logged for debugging", async (t) => {
  const { logger, entries } = notebook();
  const app = createApp({ "/echo": agent }, { logger });
  const caller = new AbortController();
  app.use(async ({ res }) => {
    caller.abort();
    await once(res, "close");
    throw new Error("nobody waits");
  });
  const url = await listening(t, app);
  await assert.rejects(fetch(`${url}/left`, { signal: caller.signal }));
  await until(() => entries.some(({ facts }) => String((facts as any).err).includes("nobody waits")));
  assert.deepEqual([...new Set(entries.map(({ level }) => level))], ["debug"]);
});

test("an application that listens to errors gets each with its context, and nothing else reports them", async (t) => {
  const { logger, entries } = notebook();
  const app = createApp({ "/echo": agent }, { logger });
  const heard: [string, string][] = [];
  app.on("error", (error: Error, ctx: Context) => heard.push([error.message, ctx.path]));
  app.use(() => {
    throw new Error("broken route");
  });
  const url = await listening(t, app);
  await fetch(`${url}/broken`);
  assert.deepEqual([heard, entries], [[["broken route", "/broken"]], []]);
});
