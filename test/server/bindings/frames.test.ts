import assert from "node:assert/strict";
import { test } from "vitest";
import type { StreamResponse } from "../../../src/protocol/model.js";
import {
  errorFrame,
  eventFrame,
  Frames,
  type FrameWriter,
  keepAlive,
} from "../../../src/server/bindings/frames.js";

const event = (id: string): StreamResponse => ({ task: { id, status: { state: "TASK_STATE_WORKING" } } });
const writer: FrameWriter = {
  event: ({ task }) => `event ${task?.id}`,
  error: (thrown) => `error ${(thrown as Error).message}`,
};

/** A source that counts how often it was released. */
function source(steps: (StreamResponse | Error)[], onReturn: () => void = () => {}) {
  let returned = 0;
  const rest: AsyncIterator<StreamResponse> = {
    async next() {
      const step = steps.shift();
      if (step instanceof Error) throw step;
      return step === undefined ? { done: true, value: undefined } : { done: false, value: step };
    },
    async return() {
      returned += 1;
      onReturn();
      return { done: true, value: undefined };
    },
  };
  return { rest, returned: () => returned };
}

async function collect(frames: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const frame of frames) all.push(frame);
  return all;
}

test("STR-07, STR-12, RPCS-02: frames are an id where there is one and one line of data, ended by an empty line", () => {
  assert.equal(eventFrame("{}", 7), "id: 7\ndata: {}\n\n");
  assert.equal(eventFrame("{}", undefined), "data: {}\n\n");
  assert.equal(errorFrame("{}"), "event: error\ndata: {}\n\n");
});

test("STR-11: an idle stream is kept open by a comment", () => {
  assert.match(keepAlive, /^:[^\n]*\n\n$/);
});

test("the frames of a stream are its events in order, and the end is the end", async () => {
  const { rest } = source([event("2"), event("3")]);
  const frames = new Frames({ first: event("1"), rest }, writer);
  assert.deepEqual(await collect(frames), ["event 1", "event 2", "event 3"]);
  assert.deepEqual(await frames.next(), { done: true, value: undefined });
});

test("RPCS-04: an error is the last frame, and the source is released", async () => {
  const { rest, returned } = source([event("2"), new Error("broken"), event("3")]);
  assert.deepEqual(await collect(new Frames({ first: event("1"), rest }, writer)), [
    "event 1",
    "event 2",
    "error broken",
  ]);
  assert.equal(returned(), 1);
});

test("a source of another make may throw at once and answer without a promise", async () => {
  const plain = { done: false, value: event("2") };
  const answers = [() => plain, () => Promise.resolve(plain), () => assert.fail("broken at once")];
  const rest = { next: () => answers.shift()?.() } as AsyncIterator<StreamResponse>;
  assert.deepEqual(await collect(new Frames({ first: event("1"), rest }, writer)), [
    "event 1",
    "event 2",
    "event 2",
    "error broken at once",
  ]);
});

test("an event that cannot be written ends the stream like an error of its source", async () => {
  const { rest, returned } = source([event("2")]);
  const failing: FrameWriter = {
    ...writer,
    event: () => {
      throw new Error("no JSON");
    },
  };
  assert.deepEqual(await collect(new Frames({ first: event("1"), rest }, failing)), ["error no JSON"]);
  assert.equal(returned(), 1);
});

test("STR-04, OP-STREAM-13: a reader that goes away releases the source, also before its first frame", async () => {
  for (const read of [0, 1, 2]) {
    const { rest, returned } = source([event("2"), event("3")]);
    const frames = new Frames({ first: event("1"), rest }, writer);
    for (let count = 0; count < read; count++) await frames.next();
    await frames.return();
    assert.equal(returned(), 1);
    assert.deepEqual(await frames.next(), { done: true, value: undefined });
  }
});

test("a source that cannot be released, or fails at it, disturbs nobody", async () => {
  const { next } = source([]).rest;
  await new Frames({ first: event("1"), rest: { next } }, writer).return();
  const { rest } = source([], () => {
    throw new Error("cannot stop");
  });
  assert.deepEqual(await new Frames({ first: event("1"), rest }, writer).return(), {
    done: true,
    value: undefined,
  });
});
