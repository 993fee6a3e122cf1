import assert from "node:assert/strict";
import { test } from "vitest";
import { inputRequired } from "../../src/index.js";
import type { Readings } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { plainCard, serveFor, text } from "../support/peer.js";
import { recording } from "./recording.js";

const agent = {
  card: plainCard,
  async *execute() {
    yield inputRequired("?");
  },
};

test("metrics: the gauges of several servers are those of all that are open, together", async (t) => {
  const { telemetry, values } = recording();
  const [one, other] = [await serveFor(t, agent, { telemetry }), await serveFor(t, agent, { telemetry })];
  const streams = async () => (await values("a2a.server.streams")).map(({ value }) => value);
  const follow = async ({ rpc, rest }: typeof one) => {
    const { result } = await rpc.call("SendMessage", text("go"));
    const stream = rest.stream("SubscribeToTask", { id: result.task.id });
    await stream.next();
    return stream;
  };
  const opened = [await follow(one), await follow(one), await follow(other)];
  assert.deepEqual(await streams(), [3]);
  await one.close();
  assert.deepEqual(await streams(), [1]);
  await other.close();
  assert.deepEqual(await streams(), [0]);
  for (const stream of opened) await stream.return(undefined);
});

test("metrics: the longest delivery of several servers is that of one of them, and no sum", async () => {
  const { telemetry, values } = recording();
  const read = (age: number, depth: number) => () =>
    ({ "a2a.server.outbox.age": age, "a2a.server.outbox.depth": depth }) as Readings;
  for (const readings of [read(3, 1), read(5, 2)]) telemetry.observe(readings);
  const valuesOf = async (name: string) => (await values(name)).map(({ value }) => value);
  assert.deepEqual(await valuesOf("a2a.server.outbox.age"), [5]);
  assert.deepEqual(await valuesOf("a2a.server.outbox.depth"), [3]);
});

test("metrics: a store that fails to tell its size does not hide the gauges of its server, nor of another", async (t) => {
  const { telemetry, values } = recording();
  const store = Object.assign(new MemoryStore(), {
    bytes: () => {
      throw new Error("no size");
    },
  });
  const servers = [await serveFor(t, agent, { telemetry, store }), await serveFor(t, agent, { telemetry })];
  for (const { rpc } of servers) {
    const { result } = await rpc.call("SendMessage", text("go"));
    const stream = rpc.stream("SubscribeToTask", { id: result.task.id });
    t.onTestFinished(() => void stream.return(undefined));
    await stream.next();
  }
  assert.deepEqual(
    (await values("a2a.server.streams")).map(({ value }) => value),
    [2],
  );
});
