import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { plainCard } from "./card.js";
import { serveTarget } from "./control.js";
import { PlainAgent } from "./plain-agent.js";

/** The floor: `node:http` with JSON.parse, JSON.stringify and nothing else. */
const agent = new PlainAgent();
const CARD = "/.well-known/agent-card.json";

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => void answer(req, res, Buffer.concat(chunks).toString()));
});

async function answer(req: IncomingMessage, res: ServerResponse, text: string): Promise<void> {
  const { url = "/", method } = req;
  if (url === CARD) return reply(res, plainCard(`http://${req.headers.host}`));
  if (url === "/message:send") return reply(res, await agent.send(JSON.parse(text)), "application/a2a+json");
  if (method === "GET")
    return reply(res, agent.tasks.get(url.slice("/tasks/".length)), "application/a2a+json");
  const { id, method: name, params } = JSON.parse(text);
  const result = (value: object) => ({ jsonrpc: "2.0", id, result: value });
  if (name === "SendMessage") return reply(res, result(await agent.send(params)));
  if (name === "GetTask") return reply(res, result(agent.tasks.get(params.id)));
  if (name === "ListTasks") return reply(res, result(agent.list(params)));
  res.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  const write = (event: object | undefined) => {
    if (event === undefined) res.end();
    else res.write(`data: ${JSON.stringify(result(event))}\n\n`);
  };
  if (name === "SendStreamingMessage") agent.stream(params, write);
  else res.on("close", agent.subscribe(params.id, write));
}

function reply(res: ServerResponse, value: object, type = "application/json"): void {
  const text = JSON.stringify(value);
  res.writeHead(200, { "Content-Type": type, "Content-Length": Buffer.byteLength(text) });
  res.end(text);
}

await serveTarget({
  async start() {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { port: (server.address() as AddressInfo).port, jsonRpc: "/", httpJson: "" };
  },
  async fill(tasks, tenant) {
    for (const task of tasks) agent.add(task, tenant);
  },
});
