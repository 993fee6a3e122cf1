import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import {
  artifact,
  completed,
  type Executor,
  inputRequired,
  reply,
  type StreamResponse,
  working,
} from "../../src/index.js";
import {
  assertStream,
  collect,
  type Fault,
  faulty,
  record,
  replay,
  scripted,
  summarize,
  testAgent,
  writeRecording,
} from "../../src/testing/index.js";
import { plainCard } from "../support/peer.js";

async function tested(t: TestContext, execute: Executor) {
  const agent = await testAgent({ card: plainCard, execute });
  t.onTestFinished(() => agent.close());
  return agent;
}

const counting: Executor = async function* () {
  yield working();
  for (const text of ["1", "2", "3"]) yield artifact({ name: text }).text(text);
  yield completed("done");
};

const counted = ["task WORKING", "artifact 1: 1", "artifact 2: 2", "artifact 3: 3", "status COMPLETED: done"];

/** Whether a request is a call, not a look at the card. */
const isCall = ({ url }: Request) => !url.includes(".well-known");

test("an agent under test is called over each binding that it is served over", async (t) => {
  const agent = await testAgent(
    { card: plainCard, execute: counting },
    { bindings: ["JSONRPC", "HTTP+JSON", "GRPC"] },
  );
  t.onTestFinished(() => agent.close());
  for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"] as const) {
    const client = await agent.connect({ bindings: [binding] });
    assert.equal(client.agentInterface.protocolBinding, binding);
    const events = await collect(client.stream("go"));
    assertStream(events);
    assert.deepEqual(summarize(events), counted);
  }
});

test("a script gives each message of a task its turn, and its steps may look and wait", async (t) => {
  const { execute, calls } = scripted(
    [({ text }) => working(text), async () => undefined, inputRequired("more?")],
    [completed("enough")],
  );
  const { client } = await tested(t, execute);
  const first = await collect(client.stream("one"));
  assert.equal(summarize(first)[0], "task WORKING");
  const taskId = first[0]?.task?.id ?? "";
  const { task } = await client.sendText("two", { message: { taskId } });
  assert.equal(task?.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(
    calls.map(({ text }) => text),
    ["one", "two"],
  );
  assert.throws(() => scripted(), TypeError);
});

test("a stream that is cut behind any event is continued by the client, without loss or repetition", async (t) => {
  const agent = await tested(t, counting);
  for (const cutAfter of [1, 2, 3, 4]) {
    let cuts = 0;
    const fetch = faulty((_, request) => (isCall(request) && cuts++ === 0 ? { cutAfter } : undefined));
    const events = await collect((await agent.connect({ fetch })).stream("x"));
    assert.deepEqual(summarize(events), counted);
    assertStream(events);
    assert.ok(cuts > 1);
  }
});

test("a stream whose lines end with CR or CRLF is cut and doubled by its events too", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const events = ["1", "2", "3"].map((data) => `data: ${data}${end}${end}`);
    const encoder = new TextEncoder();
    const answered = async (fault: Fault) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          // The connection stays open, as that of an agent at work does.
          for (const event of events) controller.enqueue(encoder.encode(event));
        },
      });
      const send = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
      return (await faulty(() => fault, send)("http://agent.example/")).body!.getReader();
    };
    const cut = await answered({ cutAfter: 1 });
    await assert.rejects(
      async () => {
        for (;;) await cut.read();
      },
      { message: "fetch failed" },
    );
    const doubled = await answered({ duplicate: true });
    const seen: string[] = [];
    for (const _ of events) seen.push(new TextDecoder().decode((await doubled.read()).value));
    assert.deepEqual(
      seen,
      events.map((event) => event + event),
    );
  }
});

test("events that come twice are given once", async (t) => {
  const agent = await tested(t, counting);
  const fetch = faulty((_, request) => (isCall(request) ? { duplicate: true } : undefined));
  assert.deepEqual(summarize(await collect((await agent.connect({ fetch })).stream("x"))), counted);
});

test("a request can be refused, lose its answer, be cut in half, and wait", async (t) => {
  const { execute, calls } = scripted([reply("Hello")]);
  const agent = await tested(t, execute);
  const failing = async (fault: object) => {
    const fetch = faulty((_, request) => (isCall(request) ? fault : undefined));
    const client = await agent.connect({ fetch, retry: false });
    return client.sendText("x").then(
      ({ message }) => summarize([{ message } as StreamResponse])[0],
      (error: { code: string }) => error.code,
    );
  };
  assert.equal(await failing({ refuse: true }), "UNREACHABLE");
  assert.equal(calls.length, 0);
  assert.match(String(await failing({ lose: true })), /UNREACHABLE|CONNECTION_LOST/);
  assert.equal(calls.length, 1);
  assert.match(String(await failing({ cutAfter: 0 })), /CONNECTION_LOST/);
  let waited = false;
  const delay = async () => {
    waited = true;
  };
  assert.equal(await failing({ delay }), "message Hello");
  assert.ok(waited);
});

test("a recording answers the same requests again, streams and refusals too, and nothing else", async (t) => {
  const agent = await tested(t, counting);
  const use = async (fetch: typeof globalThis.fetch) => {
    const client = await agent.connect({ fetch });
    const events = summarize(await collect(client.stream("x")));
    const refusal = await client.getTask({ id: "none" }).catch(({ code }: { code: string }) => code);
    return [...events, refusal];
  };
  const { fetch, exchanges } = record();
  const live = await use(fetch);
  assert.deepEqual(live, [...counted, "TASK_NOT_FOUND"]);
  await agent.close();
  const replayed = replay(JSON.parse(JSON.stringify(exchanges)));
  assert.deepEqual(await use(replayed), live);
  await assert.rejects(replayed(agent.url), /Nothing was recorded/);
});

test("SEC-12: a request for a token is recorded without its credentials, however its body was given", async () => {
  const url = "https://issuer.example/token";
  const { fetch, exchanges } = record(async () =>
    Response.json({ access_token: "SECRET1", user: "SECRET2" }),
  );
  const form = { grant_type: "refresh_token", refresh_token: "SECRET3", client_secret: "SECRET4" };
  const body = new URLSearchParams(form);
  const headers = { "Content-Type": "Application/x-www-form-urlencoded" };
  await fetch(url, { method: "POST", body });
  await fetch(url, { method: "POST", body: body.toString(), headers });
  await fetch(url, { method: "POST", body: body.toString() });
  await fetch(url, { method: "POST", body: new TextEncoder().encode(body.toString()) });
  // Not what a form usually looks like: only its media type tells.
  await fetch(url, { method: "POST", body: "SECRET5&SECRET6", headers });
  for (const exchange of exchanges)
    assert.doesNotMatch(writeRecording({ agent: { url }, exchanges: [exchange] }), /SECRET/);
});

test("of the headers of a request a recording has only the media type", async () => {
  const { fetch, exchanges } = record(async () => new Response("{}"));
  const headers = { "Content-Type": "application/json", Authorization: "Bearer SECRET1", "X-Key": "SECRET2" };
  await fetch("https://agent.example/", { method: "POST", body: "{}", headers });
  await fetch("https://agent.example/", { headers: { Authorization: "Bearer SECRET1" } });
  assert.deepEqual(
    exchanges.map(({ requestHeaders }) => requestHeaders),
    [{ "content-type": "application/json" }, undefined],
  );
});

test("a replayed answer gets the id of its request, and ids in its payload stay as recorded", async () => {
  const url = "https://agent.example/";
  const call = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "GetTask" });
  const answered = async (answer: string, type = "application/json", was: unknown = 1, is: unknown = "a") => {
    const headers = { "content-type": type };
    const recorded = { method: "POST", url, request: call(was), status: 200, headers, answer };
    return (await replay([recorded])(url, { method: "POST", body: call(is) })).text();
  };
  const payload = '"result":{"id":1,"text":"\\"id\\":1 {","list":[{"id":1}], "big":12345678901234567890}';
  assert.equal(
    await answered(`{"jsonrpc":"2.0","id":1,${payload}}`),
    `{"jsonrpc":"2.0","id":"a",${payload}}`,
  );
  assert.equal(
    await answered(`{ ${payload}, "id" : 1, "jsonrpc":"2.0"}`),
    `{ ${payload}, "id" : "a", "jsonrpc":"2.0"}`,
  );
  const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"data":{"id":1}}}';
  assert.equal(await answered(refused), refused);
  const stream = (id: string) =>
    `: hello\nid: 1\ndata: {"jsonrpc":"2.0","id":${id},${payload}}\n\nid: 2\r\ndata: {"jsonrpc":"2.0",\r\ndata:  "id":${id},${payload}}\r\n\r\n`;
  assert.equal(await answered(stream("1"), "text/event-stream"), stream('"a"'));
  // An id with the characters of a replacement pattern.
  assert.equal(await answered(stream('"x"'), "text/event-stream", "x", "$&"), stream('"$&"'));
});

test("assertStream sees what no stream may do", () => {
  const [id, contextId] = ["t", "c"];
  const at = (state: "TASK_STATE_WORKING" | "TASK_STATE_COMPLETED") => ({ status: { state } });
  const task: StreamResponse = { task: { id, contextId, ...at("TASK_STATE_WORKING") } };
  const end: StreamResponse = { statusUpdate: { taskId: id, contextId, ...at("TASK_STATE_COMPLETED") } };
  const other: StreamResponse = { statusUpdate: { taskId: "u", contextId, ...at("TASK_STATE_WORKING") } };
  const message: StreamResponse = {
    message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Hi" }] },
  };
  assertStream([task, end]);
  assertStream([message]);
  const closing: StreamResponse = { task: { id, contextId, ...at("TASK_STATE_COMPLETED") } };
  assertStream([task, end, closing]);
  const stranger: StreamResponse = { task: { id: "u", contextId, ...at("TASK_STATE_WORKING") } };
  const wrong = [
    ...[[], [end], [message, message], [task, end, end], [task, other], [task, message]],
    [task, stranger],
    [task, end, closing, closing],
    [closing, closing, closing],
  ];
  for (const events of wrong) assert.throws(() => assertStream(events), assert.AssertionError);
});

test("an agent that cannot be connected to is stopped", async () => {
  await assert.rejects(
    testAgent({ card: plainCard, execute: counting }, { versions: ["0.1"], bindings: ["HTTP+JSON"] }),
  );
});
