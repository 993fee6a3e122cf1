import assert from "node:assert/strict";
import { test } from "vitest";
import { SubscriberStream } from "../../src/engine/operations/task-stream.js";
import type { Message } from "../../src/index.js";

const message: Message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "hi" }] };
const over = { done: true, value: undefined };

test("OP-STREAM-05: a stream that is answered with a message has that event and no other", async () => {
  let opened = 0;
  const stream = new SubscriberStream(async () => {
    opened += 1;
    return { reply: message };
  });
  assert.equal(opened, 0);
  assert.deepEqual(await stream.next(), { done: false, value: { message } });
  assert.deepEqual(await stream.next(), over);
  assert.equal(opened, 1);
});

test("a failure to open a stream is thrown by each read, and leaving it throws nothing", async () => {
  const stream = new SubscriberStream(async () => {
    throw new Error("refused");
  });
  await assert.rejects(stream.next(), { message: "refused" });
  await assert.rejects(stream.next(), { message: "refused" });
  assert.deepEqual(await stream.return(), over);
  assert.deepEqual(await stream.next(), over);
});

test("a stream that is left while it opens waits for that and gives no event", async () => {
  let open!: () => void;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const stream = new SubscriberStream(() => gate.then(() => ({ reply: message })));
  const first = stream.next();
  let isLeft = false;
  const left = stream.return().then((result) => {
    isLeft = true;
    return result;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isLeft, false);
  open();
  assert.deepEqual(await left, over);
  assert.deepEqual(await first, over);
  assert.deepEqual(await stream.next(), over);
});

test("a stream that is left before its first read is never opened", async () => {
  const stream = new SubscriberStream(() => assert.fail("the stream was not read"));
  assert.deepEqual(await stream.return(), over);
  assert.deepEqual(await stream.next(), over);
});
