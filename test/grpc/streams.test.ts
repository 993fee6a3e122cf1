import assert from "node:assert/strict";
import { once } from "node:events";
import * as grpc from "@grpc/grpc-js";
import { type TestContext, test } from "vitest";
import { artifact, completed, type Executor, working } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { gate } from "../support/both.js";
import { collect, plainCard, serveGrpc, text } from "../support/peer.js";

const echo: Executor = async function* () {
  yield working("on it");
  yield completed("done");
};

const served = (t: TestContext, execute: Executor = echo, options: ServeOptions = {}, more: object = {}) =>
  serveGrpc(t, { card: plainCard, execute, ...more }, options);

test("G-34: a server that stops ends streams with UNAVAILABLE, and then takes no calls", async (t) => {
  const server = await served(t, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
  });
  const stream = server.grpc.stream("SendStreamingMessage", text("x"));
  await stream.next();
  const closed = server.close(2);
  const { value } = await stream.next();
  assert.deepEqual([value?.event, value?.data.code], ["error", grpc.status.UNAVAILABLE]);
  await closed;
});

test("G-35: subscribing to an unknown or an ended task is refused without a message", async (t) => {
  const { grpc: peer } = await served(t);
  const { result } = await peer.call("SendMessage", text("x"));
  const [ended] = await collect(peer.stream("SubscribeToTask", { id: result.task.id }));
  assert.deepEqual([ended?.event, ended?.data.reason], ["error", "UNSUPPORTED_OPERATION"]);
  const [unknown] = await collect(peer.stream("SubscribeToTask", { id: "nope" }));
  assert.deepEqual([unknown?.event, unknown?.data.reason], ["error", "TASK_NOT_FOUND"]);
});

test("G-29, G-40: a stream says the number of its first event, and goes on after the one that metadata names", async (t) => {
  const { open, opened } = gate();
  const { grpc: peer } = await served(t, async function* () {
    yield working();
    const result = artifact({ name: "words" });
    yield result.text("one");
    yield result.text("two");
    await opened;
    yield completed();
  });
  const stream = peer.stream("SendStreamingMessage", text("x"));
  const { value: first } = await stream.next();
  await stream.next();
  const { value: third } = await stream.next();
  assert.deepEqual([first?.id, third?.id], ["1", "3"]);
  await stream.return(undefined);
  const { id } = first?.data.task ?? {};
  const rest = peer.stream("SubscribeToTask", { id }, { headers: { "last-event-id": "2" } });
  const { value: snapshot } = await rest.next();
  assert.ok(snapshot?.data.task);
  assert.equal(snapshot?.id, "2");
  const { value: next } = await rest.next();
  assert.equal(next?.data.artifactUpdate.artifact.parts[0].text, "two");
  open();
  const left = await collect(rest);
  assert.equal(left.at(-1)?.data.statusUpdate.status.state, "TASK_STATE_COMPLETED");
});

test("G-42: a stream that its reader drops is released, and the task goes on", async (t) => {
  const { open, opened } = gate();
  const { grpc: peer, app } = await served(
    t,
    async function* () {
      yield working();
      await opened;
      yield completed();
    },
    { limits: { streamsPerPrincipal: 1 } },
  );
  assert.ok(app);
  const stream = peer.stream("SendStreamingMessage", text("x"));
  const { value } = await stream.next();
  await stream.return(undefined);
  const { id } = value?.data.task ?? {};
  // There is one place for a stream, so that a further one needs that of the first.
  let again = await peer.stream("SubscribeToTask", { id }).next();
  for (let tries = 0; again.value?.event === "error" && tries < 50; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    again = await peer.stream("SubscribeToTask", { id }).next();
  }
  assert.equal(again.value?.data.task.id, id);
  open();
});
