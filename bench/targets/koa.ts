import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import Router from "@koa/router";
import Koa from "koa";
import { koaBody } from "koa-body";
import { plainCard } from "./card.js";
import { serveTarget } from "./control.js";
import { PlainAgent } from "./plain-agent.js";

/** Koa as its users write it, with its router and body parser and the agent of the bare server. */
const agent = new PlainAgent();
const router = new Router();

router.get("/.well-known/agent-card.json", (ctx) => {
  ctx.body = plainCard(ctx.origin);
});
router.post("/message\\:send", async (ctx) => {
  ctx.body = await agent.send(ctx.request.body);
  ctx.type = "application/a2a+json";
});
router.get("/tasks/:id", (ctx) => {
  ctx.body = agent.tasks.get(ctx.params.id ?? "");
  ctx.type = "application/a2a+json";
});
router.post("/", async (ctx) => {
  const { id, method, params }: any = ctx.request.body;
  const result = (value: object) => ({ jsonrpc: "2.0", id, result: value });
  if (method === "SendMessage") ctx.body = result(await agent.send(params));
  else if (method === "GetTask") ctx.body = result(agent.tasks.get(params.id));
  else if (method === "ListTasks") ctx.body = result(agent.list(params));
  else {
    const frames = new PassThrough();
    ctx.type = "text/event-stream";
    ctx.set("Cache-Control", "no-cache");
    ctx.body = frames;
    const write = (event: object | undefined) => {
      if (event === undefined) frames.end();
      else frames.write(`data: ${JSON.stringify(result(event))}\n\n`);
    };
    if (method === "SendStreamingMessage") agent.stream(params, write);
    else ctx.res.on("close", agent.subscribe(params.id, write));
  }
});

const app = new Koa();
// Koa prints a trace for each reader that leaves.
app.silent = true;
app.use(koaBody({ jsonLimit: "10mb", jsonTypes: ["application/json", "application/a2a+json"] }));
app.use(router.routes());

await serveTarget({
  async start() {
    const server = createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { port: (server.address() as AddressInfo).port, jsonRpc: "/", httpJson: "" };
  },
  async fill(tasks, tenant) {
    for (const task of tasks) agent.add(task, tenant);
  },
});
