import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { artifact, completed, working } from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { gate } from "../support/both.js";
import { collect, type Frame, frames, serveExecutor, text } from "../support/peer.js";

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

  const stringify = vi.spyOn(JSON, "stringify");
  open();
  const rests = await Promise.all([started, ...readers].map(collect));
  const written = stringify.mock.calls.filter(
    ([value]) => value?.artifactUpdate !== undefined || value?.statusUpdate !== undefined,
  );
  stringify.mockRestore();

  for (const frames of rests) assert.equal(frames.length, EVENTS + 1);
  assert.equal(written.length, EVENTS + 1);
});

/** How readers of each version subscribe: JSON-RPC, and HTTP+JSON in the dialect that peers of 0.3 run. */
const ways = {
  [protocolVersion]: { method: "SubscribeToTask" },
  "0.3": { method: "tasks/resubscribe" },
  "0.3 HTTP+JSON": { path: (id: string) => `/v1/tasks/${id}:subscribe` },
  "0.1": { method: "tasks/resubscribe" },
};

test("STR-10: readers of several versions cost one writing of an event for each form, not for each reader", async (t) => {
  const { open, opened } = gate();
  const { rpc, url } = await serveExecutor(
    t,
    async function* () {
      yield working();
      await opened;
      const result = artifact({ artifactId: "counted" });
      for (let event = 0; event < EVENTS; event += 1) yield result.text(`event ${event}`);
      yield completed();
    },
    { versions: [protocolVersion, "0.3", "0.1"] },
  );
  const started = rpc.stream("SendStreamingMessage", text("go"));
  const { id } = (await started.next()).value?.data.task ?? {};
  const readers: AsyncGenerator<Frame>[] = [];
  for (const [name, way] of Object.entries(ways)) {
    for (let index = 0; index < SUBSCRIBERS / 4; index += 1) {
      const call = "method" in way ? { jsonrpc: "2.0", id: 1, method: way.method, params: { id } } : {};
      const response = await fetch(url + ("path" in way ? way.path(id) : ""), {
        method: "POST",
        headers: { "Content-Type": "application/json", "A2A-Version": name.slice(0, 3) },
        body: JSON.stringify(call),
      });
      const reader = frames(response);
      assert.ok((await reader.next()).value, `${name} begins`);
      readers.push(reader);
    }
  }

  const stringify = vi.spyOn(JSON, "stringify");
  open();
  const rests = await Promise.all(readers.map(collect));
  await collect(started);
  const written = stringify.mock.calls.filter(([value]) => typeof value === "object");
  stringify.mockRestore();

  for (const rest of rests) assert.equal(rest.length, EVENTS + 1);
  assert.equal(written.length, Object.keys(ways).length * (EVENTS + 1));
});
