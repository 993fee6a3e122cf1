import assert from "node:assert/strict";
import { test } from "vitest";
import { FetchConnection } from "../../../src/server/fetch/fetch-request.js";
import { PulledBody } from "../../../src/server/fetch/pulled-body.js";

/** A body whose requests are counted, and its reader. */
function open() {
  const { signal } = new AbortController();
  const body = new PulledBody(() => undefined, new FetchConnection({ signal }, { leave: () => undefined }));
  return { body, reader: body.stream.getReader() };
}

const chunk = Uint8Array.of(1);

/** Lets the stream react to what was written and resolved. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("the request of a reader that keeps up stays open: its chunks need no further request", async () => {
  const { body, reader } = open();
  for (let count = 0; count < 100; count += 1) {
    const next = reader.read();
    await settled();
    assert.deepEqual([body.isPulling, body.isStuck], [true, false]);
    body.push(chunk);
    assert.deepEqual(await next, { done: false, value: chunk });
  }
  assert.equal(body.pulls, 1);
});

test("one chunk waits for a reader that has stopped, and its next request is noticed", async () => {
  const { body, reader } = open();
  const first = reader.read();
  await settled();
  body.push(chunk);
  await first;
  body.push(chunk);
  assert.deepEqual([body.isPulling, body.isStuck, body.pulls], [false, true, 1]);
  await reader.read();
  const waiting = reader.read();
  await settled();
  assert.deepEqual([body.isPulling, body.isStuck, body.pulls], [true, false, 2]);
  body.push(chunk);
  assert.deepEqual(await waiting, { done: false, value: chunk });
});

test("a chunk that is given is answered by a request of its own", async () => {
  const { body, reader } = open();
  for (let pulls = 1; pulls <= 3; pulls += 1) {
    const next = reader.read();
    await settled();
    assert.equal(body.pulls, pulls);
    body.give(chunk);
    assert.equal(body.isPulling, false);
    await next;
  }
});
