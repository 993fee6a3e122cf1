import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { test } from "vitest";
import { completed, defineAgent } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { json } from "../server/scripted-agent.js";
import { plainCard, serveFor, text } from "../support/peer.js";
import { envelope, hostileBodies } from "./hostile.js";

/** Takes every message in, and keeps what it says. */
const agent = defineAgent({
  card: plainCard,
  async *execute({ text }) {
    yield completed(text.slice(0, 20));
  },
});

const bodies = hostileBodies();

/** Sends bytes as they are. */
async function send(port: number, path: string, body: Buffer) {
  const headers = { ...json, "Content-Length": body.length };
  const req = httpRequest({ port, host: "127.0.0.1", path, method: "POST", headers });
  // The server may have had enough before everything was sent.
  req.on("error", () => undefined);
  req.end(body);
  const [response] = (await once(req, "response")) as [IncomingMessage];
  let answer = "";
  for await (const chunk of response) answer += String(chunk);
  return { status: response.statusCode ?? 0, text: answer, body: JSON.parse(answer) };
}

for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
  test(`SEC-08, SEC-11, JSONV-17, JSONV-18, RESTB-10: hostile bodies are refused clearly or harmless [${binding}]`, async (t) => {
    const store = new MemoryStore();
    const server = await serveFor(t, agent, { store });
    const members = Object.getOwnPropertyNames(Object.prototype).length;
    for (const { name, params, verdict, code } of bodies) {
      const before = store.size();
      const { path, body } = envelope(binding, params);
      const answer = await send(server.port, path, body);
      const { error } = answer.body;
      const [detail] = error?.data ?? error?.details ?? [];
      // A byte-order mark is one at the beginning of a body only.
      const isTaken = verdict === "taken" && !(binding === "JSONRPC" && params[0] === 0xef);
      const expected = isTaken ? undefined : (code ?? "PARSE_ERROR");
      assert.equal(detail?.reason, expected, `${name}: ${answer.text.slice(0, 300)}`);
      assert.equal(store.size() - before, isTaken ? 1 : 0, `${name}: tasks stored`);
      assert.ok(answer.status < 500, `${name}: ${answer.status}`);
      assert.ok(answer.text.length < 4000 || isTaken, `${name}: the refusal repeats what was sent`);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined, name);
      assert.equal(Object.getOwnPropertyNames(Object.prototype).length, members, name);
    }
    assert.ok((await server.rpc.call("SendMessage", text("still there"))).result);
  });
}

test("JSONV-17: of a member that comes twice the last one counts, and pollution is plain data", async (t) => {
  const server = await serveFor(t, agent);
  const find = (name: string) => bodies.find((hostile) => hostile.name === name)?.params as Buffer;
  const twice = await send(server.port, "/message:send", find("a member twice"));
  assert.deepEqual(twice.body.task.history[0].parts, [{ text: "last" }]);
  const polluting = await send(server.port, "/message:send", find("names that pollute prototypes"));
  const metadata = '"metadata":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  assert.ok(polluting.text.includes(metadata), polluting.text);
});

test("SEC-08: others are served while hostile bodies are read", async (t) => {
  const server = await serveFor(t, agent);
  const small = bodies.filter(({ params }) => params.length < 20_000_000);
  const attack = Promise.all(small.map(({ params }) => send(server.port, "/message:send", params)));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => server.rpc.call("SendMessage", text(`${index}`))),
  );
  assert.ok(answers.every(({ result }) => result.task.status.state === "TASK_STATE_COMPLETED"));
  await attack;
});
