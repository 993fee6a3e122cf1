import assert from "node:assert/strict";
import { describe, test, vi } from "vitest";
import { purposeOf } from "../../../src/inspector/page/wire/purpose-of.js";
import { bodyText } from "../../../src/inspector/page/wire/wire-exchange.js";
import { FrameSplitter } from "../../../src/inspector/page/wire/wire-frame.js";
import { WireRecorder } from "../../../src/inspector/page/wire/wire-recorder.js";

const url = "http://agent.example/rpc";

/** A recorder whose clock moves 10 ms with every look, and which publishes at once. */
function recorder(): WireRecorder {
  let time = 0;
  return new WireRecorder({ now: () => (time += 10), later: (update) => update() });
}

describe("frames of an event stream", () => {
  test("are cut at blank lines, whatever the line ends and wherever the chunks end", () => {
    const splitter = new FrameSplitter();
    const text = 'id: 1\ndata: {"a":1}\n\n: heartbeat\n\nid: 2\r\nevent: x\r\ndata: b\r\ndata: c\r\n\r\n';
    const frames = [...text].flatMap((character, at) => splitter.push(character, at));
    const seen = frames.map(({ index, id, event, data }) => [index, id, event, data]);
    assert.deepEqual(seen, [
      [0, "1", undefined, '{"a":1}'],
      [1, undefined, undefined, undefined],
      [2, "2", "x", "b\nc"],
    ]);
    assert.equal(frames[1]?.raw, ": heartbeat");
    assert.deepEqual(
      frames.map(({ at }) => at),
      [20, 33, text.length - 1],
    );
  });

  test("of many chunks are joined once, so that the time grows with the size and not with its square", () => {
    const splitter = new FrameSplitter();
    const chunk = "x".repeat(64);
    const joins = vi.spyOn(Array.prototype, "join");
    const frames = [
      splitter.push("data: ", 1),
      ...Array.from({ length: 5000 }, () => splitter.push(chunk, 2)),
    ];
    frames.push(splitter.push("\n", 3), splitter.push("\n", 4));
    const { length } = joins.mock.calls;
    joins.mockRestore();
    assert.equal(frames.flat()[0]?.data?.length, 64 * 5000);
    assert.ok(length < 10, `joined ${length} times`);
  });

  test("the end of a stream shows a frame that was cut off", () => {
    const splitter = new FrameSplitter();
    assert.deepEqual(splitter.push("data: half", 5), []);
    assert.equal(splitter.end(9)?.raw, "data: half");
    assert.equal(splitter.end(10), undefined);
  });
});

test("a frame that does not end fills no memory: its beginning is kept, and the next frame is whole", () => {
  const splitter = new FrameSplitter(100);
  splitter.push("id: 1\ndata: ", 1);
  for (let count = 0; count < 1000; count++) assert.deepEqual(splitter.push("x".repeat(50), 2), []);
  const frames = [...splitter.push("y\r\n\r", 3), ...splitter.push("\nid: 2\ndata: {}\n\n", 4)];
  assert.deepEqual(
    frames.map(({ id, isCut, raw }) => [id, isCut, raw.length]),
    [
      ["1", true, 100],
      ["2", false, 14],
    ],
  );
  assert.equal(frames[0]?.raw, `id: 1\ndata: ${"x".repeat(88)}`);
  // The blank line lies beyond what is kept, and does not count.
  assert.equal(splitter.push(`data: ${"z".repeat(94)}\n\n`, 5)[0]?.isCut, false);
  splitter.push("w".repeat(101), 6);
  assert.equal(splitter.end(7)?.isCut, true);
});

describe("a recorded exchange", () => {
  test("has the request, the headers and the body byte for byte, and passes the response on", async () => {
    const record = recorder();
    const bytes = new Uint8Array([0xe2, 0x82, 0xac, 0x00, 0xff]);
    const send = record.recording(
      () => async () => new Response(bytes, { status: 201, headers: { "X-A": "b" } }),
    );
    const response = await send(url, { method: "POST", headers: { "A2A-Version": "9" }, body: '{"q":1}' });
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
    const [exchange] = record.exchanges.value;
    assert.ok(exchange);
    assert.equal(exchange.method, "POST");
    assert.equal(exchange.requestBody, '{"q":1}');
    assert.ok(exchange.requestHeaders.some(([name, value]) => name === "a2a-version" && value === "9"));
    assert.equal(exchange.response?.status, 201);
    assert.deepEqual(
      exchange.response?.headers.find(([name]) => name === "x-a"),
      ["x-a", "b"],
    );
    assert.deepEqual(Buffer.concat(exchange.chunks), Buffer.from(bytes));
    assert.equal(bodyText(exchange), "€\0\ufffd");
    assert.ok((exchange.endedAt ?? 0) > (exchange.response?.at ?? 0));
    assert.equal(exchange.failure, undefined);
  });

  test("of a stream has its frames with ids and times while it runs", async () => {
    const record = recorder();
    let push: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        push = controller;
      },
    });
    const headers = { "Content-Type": "text/event-stream; charset=utf-8" };
    const response = await record.recording(() => async () => new Response(body, { headers }))(url);
    const reader = response.body?.getReader();
    push?.enqueue(new TextEncoder().encode("id: 7\ndata: {}\n\ndata: ha"));
    await reader?.read();
    const [running] = record.exchanges.value;
    assert.deepEqual(
      running?.frames.map(({ id, data }) => [id, data]),
      [["7", "{}"]],
    );
    assert.equal(running?.endedAt, undefined);
    push?.error(new TypeError("cut"));
    await assert.rejects(async () => reader?.read(), /cut/);
    assert.equal(record.exchanges.value[0]?.failure, "cut");
  });

  test("that fails before its response has the reason", async () => {
    const record = recorder();
    const send = record.recording(() => () => Promise.reject(new TypeError("no such host")));
    await assert.rejects(send(url), /no such host/);
    const [exchange] = record.exchanges.value;
    assert.equal(exchange?.failure, "no such host");
    assert.equal(exchange?.response, undefined);
    record.clear();
    assert.deepEqual(record.exchanges.value, []);
  });

  test("has the headers that really left, and the status of gRPC, when the local server tells them", async () => {
    const record = recorder();
    const grpc = { type: "status", id: 1, time: 3, code: 5, name: "NOT_FOUND", message: "no task" } as const;
    const status = { ...grpc, metadata: [], trailers: [], details: [] };
    const send = record.recording((watch) => async (input) => {
      const head = {} as never;
      const sent = {
        id: 1,
        at: "",
        method: "POST",
        url: String(input),
        headers: [["user-agent", "p"]],
        bytes: 0,
      };
      watch({ type: "sent", ...sent } as never, head);
      watch(status, head);
      return new Response(null, { status: 404 });
    });
    await send(url);
    const [exchange] = record.exchanges.value;
    assert.deepEqual(exchange?.requestHeaders, [["user-agent", "p"]]);
    assert.equal(exchange?.grpc?.name, "NOT_FOUND");
  });

  test("keeps 500 exchanges and the first 8 MiB of a body, and passes all of it on", async () => {
    const record = recorder();
    const large = new Uint8Array(9 * 1024 * 1024);
    const response = await record.recording(() => async () => new Response(large))(url);
    assert.equal((await response.arrayBuffer()).byteLength, large.length);
    const [exchange] = record.exchanges.value;
    assert.equal(exchange?.isCut, true);
    assert.equal(exchange?.size, large.length);
    for (let count = 0; count < 500; count++)
      await record.recording(() => async () => new Response(null))(url);
    assert.equal(record.exchanges.value.length, 500);
    assert.equal(record.exchanges.value[0]?.id, 2);
  });
});

/** A response that is an event stream of these chunks. */
function streamOf(chunks: readonly string[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

describe("the memory of the recorder", () => {
  const MIB = 1024 * 1024;

  test("keeps the first 8 MiB of the frames of a stream, and counts the others", async () => {
    const record = recorder();
    const frame = `data: ${"x".repeat(3 * MIB)}\n\n`;
    const chunks = [frame, frame, frame, "id: 9\ndata: {}\n\n"];
    await (await record.recording(() => async () => streamOf(chunks))(url)).text();
    const [exchange] = record.exchanges.value;
    // The last one would fit; without the one before it, it would seem to come next.
    assert.equal(exchange?.frames.length, 2);
    assert.equal(exchange?.frameCount, 4);
    assert.equal(
      exchange?.chunks.reduce((sum, { length }) => sum + length, 0),
      8 * MIB,
    );
  });

  test("keeps of one frame as much, however long it grows", async () => {
    const record = recorder();
    const chunks = ["data: ", ...Array.from({ length: 12 }, () => "x".repeat(MIB)), "\n\n"];
    await (await record.recording(() => async () => streamOf(chunks))(url)).text();
    const [frame] = record.exchanges.value[0]?.frames ?? [];
    assert.equal(frame?.raw.length, 8 * MIB);
    assert.equal(frame.isCut, true);
  });

  test("keeps 20,000 frames, and counts the others", async () => {
    const record = recorder();
    const chunks = Array.from({ length: 25 }, () => "data: 1\n\n".repeat(1000));
    await (await record.recording(() => async () => streamOf(chunks))(url)).text();
    const [exchange] = record.exchanges.value;
    assert.deepEqual([exchange?.frames.length, exchange?.frameCount], [20_000, 25_000]);
  });

  test("has 64 MiB of bodies at most when another exchange begins: the oldest leave", async () => {
    const record = recorder();
    const large = new Uint8Array(8 * MIB);
    for (let count = 0; count < 12; count++)
      await (await record.recording(() => async () => new Response(large))(url)).arrayBuffer();
    const ids = record.exchanges.value.map(({ id }) => id);
    assert.deepEqual([ids[0], ids.at(-1)], [4, 12]);
  });
});

test("a request's purpose is read from what is sent", () => {
  const base = "https://agents.example/writer";
  const of = (method: string, path: string, body?: string) => purposeOf({ method, url: base + path, body });
  assert.equal(of("GET", "/.well-known/agent-card.json"), "Card");
  assert.equal(of("GET", "/.well-known/agent.json"), "Card");
  assert.equal(of("POST", "/", '{"jsonrpc":"2.0","method":"message/send"}'), "message/send");
  assert.equal(of("POST", "/message:stream", '{"message":{}}'), "SendStreamingMessage");
  assert.equal(of("GET", "/tasks/a-b"), "GetTask");
  assert.equal(of("GET", "/tasks?pageSize=2"), "ListTasks");
  assert.equal(of("POST", "/tasks/a-b:cancel"), "CancelTask");
  assert.equal(of("DELETE", "/tasks/a/pushNotificationConfigs/c"), "DeleteTaskPushNotificationConfig");
  assert.equal(
    purposeOf({ method: "POST", url: "https://x/lf.a2a.v1.A2AService/GetTask", body: "{}" }),
    "GetTask",
  );
  assert.equal(of("POST", "/else", '{"jsonrpc": broken'), "/writer/else");
});

test("an exchange that the page has closed says so, whatever its connection does afterwards", async () => {
  const record = recorder();
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      throw new TypeError("too late");
    },
  });
  const response = await record.recording(() => async () => new Response(body))(url);
  await assert.rejects(async () => response.body?.cancel(), /too late/);
  assert.equal(record.exchanges.value[0]?.failure, "The page closed the connection");
});
