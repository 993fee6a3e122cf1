import assert from "node:assert/strict";
import { test } from "vitest";
import { cardOf, clientOf, eventStream, frames, origin, result } from "../scripted.js";

const ids = { taskId: "t", contextId: "c" };
const said = (messageId: string) => ({
  ...{ kind: "message", role: "agent", messageId },
  parts: [{ kind: "text", text: messageId }],
});
const first = { state: "working", message: said("m1"), timestamp: "2026-01-01T00:00:00Z" };
const last = { state: "completed", message: said("m2") };
const update = (status: object, more: object = {}) => ({
  ...{ kind: "status-update", ...ids, status, final: status === last },
  ...more,
});

/** The events that a client reads, and the ids of the history of its task, when a stream of 0.3 begins with an update. */
async function read(event: object, task: object) {
  const { client } = await clientOf(
    (request) =>
      request.json.method === "tasks/get"
        ? result(request, { kind: "task", id: "t", contextId: "c", ...task })
        : eventStream(frames(request, [event, update(last)])),
    {
      card: cardOf({
        supportedInterfaces: [{ url: `${origin}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "0.3" }],
      }),
    },
  );
  const stream = client.stream("x");
  const kinds: string[] = [];
  for await (const one of stream) kinds.push(...Object.keys(one));
  const history = stream.task?.history?.map(({ messageId }) => messageId) ?? [];
  return { kinds, history, metadata: stream.task?.metadata };
}

test("a status update that begins a stream of 0.3 is left out if the task includes it", async () => {
  for (const status of [first, { ...first, timestamp: "2026-01-01T00:00:01Z" }]) {
    const { kinds, history } = await read(update(first), { status });
    assert.deepEqual(kinds, ["task", "statusUpdate"]);
    assert.deepEqual(history, ["m1"]);
  }
});

test("a status update with another state or message, or with metadata that the task lacks, is read after the task", async () => {
  for (const status of [
    { ...first, state: "submitted" },
    { ...first, message: said("m0") },
  ]) {
    const { kinds } = await read(update(first), { status });
    assert.deepEqual(kinds, ["task", "statusUpdate", "statusUpdate"]);
  }
  const metadata = { step: { number: 1 } };
  const lacking = await read(update(first, { metadata }), { status: first });
  assert.deepEqual(lacking.kinds, ["task", "statusUpdate", "statusUpdate"]);
  assert.deepEqual(lacking.metadata, metadata);
  const having = await read(update(first, { metadata }), {
    status: first,
    metadata: { ...metadata, more: 1 },
  });
  assert.deepEqual(having.kinds, ["task", "statusUpdate"]);
});
