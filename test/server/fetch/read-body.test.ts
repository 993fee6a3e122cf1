import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { createHandler, type RequestInfo } from "../../../src/server/fetch/index.js";
import type { ServerOptions } from "../../../src/server/index.js";
import { gate } from "../../support/both.js";
import { callText, json, notebook, scripted } from "../scripted-agent.js";

const base = "https://agent.example";

function handlerFor(t: Pick<TestContext, "onTestFinished">, options: ServerOptions = {}) {
  const handler = createHandler(scripted(), options);
  t.onTestFinished(() => handler.close(0));
  return handler;
}

const post = (body: string | Buffer, headers: Record<string, string> = json) =>
  new Request(base, { method: "POST", headers, body });

test("SEC-08: a body is refused while it arrives, and the rest of it is not asked for", async (t) => {
  const handler = handlerFor(t, { limits: { body: 100_000 } });
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(10_000).fill(32));
    },
  });
  const init = { method: "POST", headers: json, body, duplex: "half" as const };
  const response = await handler(new Request(base, init));
  assert.equal(response.status, 413);
  assert.ok(pulled < 20, `${pulled} pieces`);
});

test("SEC-08: a body without a length counts while its caller is being identified", async (t) => {
  const { open, opened } = gate();
  const asked = [gate(), gate(), gate()];
  const waiting = [...asked];
  const authenticate = () => {
    waiting.shift()?.open();
    return opened.then(() => ({ id: "ann" }));
  };
  const handler = handlerFor(t, {
    auth: { authenticate },
    limits: { bodiesPerAddress: 500_000 },
  });
  const body = callText("SendMessage", "x".repeat(300_000));
  const first = handler(post(body));
  const small = handler(post(callText("SendMessage")));
  await asked[1]?.opened;
  const second = await Promise.race([handler(post(body)), asked[2]?.opened]);
  open();
  assert.equal(second?.status, 429);
  for (const answered of [first, small]) assert.equal((await answered).status, 200);
});

test("a body that was read before is used when a parser has left it, else an error that tells the operator what to do", async (t) => {
  const { logger, entries } = notebook();
  const handler = handlerFor(t, { logger });
  const read = async (info?: RequestInfo) => {
    const request = post(callText("SendMessage"));
    await request.text();
    return (await (await handler(request, info)).json()) as any;
  };
  assert.equal((await read()).error.code, -32603);
  assert.match(String(entries.map(({ facts }) => (facts as any).err)), /mount the agent before/);
  for (const parsed of [JSON.parse(callText("SendMessage")), callText("SendMessage")])
    assert.equal((await read({ parsed })).result.message.parts[0].text, "hi");
});

test("a byte order mark is dropped, and hides no byte that is not UTF-8", async (t) => {
  const handler = handlerFor(t);
  const outcome = async (character: Buffer) => {
    const [before = "", after = ""] = callText("SendMessage", "|").split("|");
    const body = Buffer.concat([Buffer.from(`\ufeff${before}`), character, Buffer.from(after)]);
    const response = await handler(post(body, { ...json, "Content-Length": String(body.length) }));
    const { result, error } = (await response.json()) as any;
    return error?.code ?? result.message.parts[0].text;
  };
  assert.equal(await outcome(Buffer.from("\ufffd")), "\ufffd");
  assert.equal(await outcome(Buffer.from([0xff])), -32700);
  assert.equal(await outcome(Buffer.from([0xe2, 0x82])), -32700);
});
