import assert from "node:assert/strict";
import { test } from "vitest";
import { Deadline } from "../../../src/client/deadline.js";
import { ClientError } from "../../../src/client/index.js";
import { readFrames } from "../../../src/client/read-stream.js";
import type { Frame } from "../../../src/net/event-stream.js";
import { eventStream } from "../scripted.js";

const url = new URL("https://agent.example/a2a?key=secret");

async function read(response: Response, more: { limit?: number; idle?: number; signal?: AbortSignal } = {}) {
  const { limit = 1000, idle, signal } = more;
  const frames: Frame[] = [];
  const deadline = new Deadline(signal);
  for await (const frame of readFrames(response.body!, { url, deadline, idle, limit })) frames.push(frame);
  return frames;
}

function coded(code: string) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof ClientError, String(error));
    assert.equal(error.code, code);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  };
}

const text =
  "\ufeffid: 1\ndata: {\ndata: }\n\n: comment\n\nevent: error\nretry: 10\nwhat: ever\ndata:grün\n\ndata\n\n";
const expected = [
  { data: "{\n}", id: "1" },
  { data: "grün", id: undefined },
  { data: "", id: undefined },
];

for (const [name, newline] of [
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
] as const) {
  test(`STR-13: events are read with ${name}, cut anywhere, comments and unknown fields left out`, async () => {
    const bytes = new TextEncoder().encode(
      text.replaceAll("\n", newline) + (newline === "\r" ? ": end\r\n" : ""),
    );
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      assert.deepEqual(await read(eventStream(chunks)), expected, `in chunks of ${size}`);
    }
  });
}

test("an event that was cut off is no event", async () => {
  assert.deepEqual(await read(eventStream(["data: 1\n\ndata: 2\n"])), [{ data: "1", id: undefined }]);
});

test("STR-14, SEC-16: a line or an event beyond the limit fails the stream", async () => {
  const endless = Array.from({ length: 100 }, () => "x".repeat(50));
  await assert.rejects(read(eventStream(["data: ", ...endless], "open")), coded("RESPONSE_TOO_LARGE"));
  const lines = Array.from({ length: 100 }, () => `data: ${"x".repeat(50)}\n`);
  await assert.rejects(read(eventStream(lines, "open")), coded("RESPONSE_TOO_LARGE"));
  await assert.rejects(read(eventStream([`data: ${"x".repeat(1001)}\n\n`])), coded("RESPONSE_TOO_LARGE"));
  assert.equal((await read(eventStream([`data: ${"x".repeat(1000)}\n\n`]))).length, 1);
});

test("a stream that fails is a lost connection", async () => {
  await assert.rejects(read(eventStream(["data: 1\n\n"], "cut")), coded("CONNECTION_LOST"));
});

test("a stream that is silent for too long fails, one that gives signs of life does not", async () => {
  await assert.rejects(read(eventStream([": hello\n\n"], "open"), { idle: 0.02 }), coded("TIMEOUT"));
});

test("CLI-08: a signal ends the reading with its reason, and closes the body", async () => {
  const stop = new AbortController();
  const { promise: closed, body } = endless();
  const reading = read(new Response(body), { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(reading, /enough/);
  await closed;
});

test("letting go of the events closes the body", async () => {
  const { promise: closed, body } = endless();
  for await (const { data } of readFrames(body, { url, deadline: new Deadline(), idle: 1, limit: 10 })) {
    assert.equal(data, "1");
    break;
  }
  await closed;
});

/** A body with one event that stays open, and the moment when it is closed by its reader. */
function endless() {
  let close = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    close = resolve;
  });
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
    cancel: () => close(),
  });
  return { promise, body };
}
