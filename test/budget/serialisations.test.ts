import assert from "node:assert/strict";
import { test } from "node:test";
import { artifact, completed, working } from "../../src/index.js";
import { gate } from "../support/both.js";
import { collect, serveExecutor, text } from "../support/peer.js";

const SUBSCRIBERS = 40;
const EVENTS = 25;

test("STR-10: an event is written as JSON once, however many subscribers there are and over whichever binding", async (t) => {
  const { open, opened } = gate();
  const { rpc, rest } = await serveExecutor(t, async function* () {
    yield working();
    await opened;
    const result = artifact({ artifactId: "counted" });
    for (let event = 0; event < EVENTS; event += 1) yield result.text(`event ${event}`);
    yield completed();
  });
  const started = rpc.stream("SendStreamingMessage", text("go"));
  const first = await started.next();
  assert.ok(!first.done);
  const { id } = first.value.data.task;
  const readers = Array.from({ length: SUBSCRIBERS }, (_, index) =>
    (index % 2 === 0 ? rpc : rest).stream("SubscribeToTask", { id }),
  );
  for (const reader of readers)
    assert.ok((await reader.next()).value?.data.task, "each begins with the task");

  const stringify = t.mock.method(JSON, "stringify");
  open();
  const rests = await Promise.all([started, ...readers].map(collect));
  const written = stringify.mock.calls.filter(
    ({ arguments: [value] }) => value?.artifactUpdate !== undefined || value?.statusUpdate !== undefined,
  );
  stringify.mock.restore();

  for (const frames of rests) assert.equal(frames.length, EVENTS + 1);
  assert.equal(written.length, EVENTS + 1);
});
