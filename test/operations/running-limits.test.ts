import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { completed, type Executor, inputRequired, working } from "../../src/index.js";
import { apiKeys, type ServeOptions } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { type Peer, plainCard, serveFor, text } from "../support/peer.js";

const keyed = {
  ...plainCard,
  securitySchemes: { key: { apiKeySecurityScheme: { name: "X-Key", location: "header" } } },
  securityRequirements: [{ schemes: { key: { list: [] } } }],
};
const auth = { verifiers: { key: apiKeys({ "key-of-ann": "ann", "key-of-bob": "bob" }) } };
const as = (name: string) => ({ "X-Key": `key-of-${name}` });

/** A server whose executor works until the test says so, for callers with keys. */
async function serving(t: TestContext, options: ServeOptions, execute?: Executor) {
  const { open, opened } = gate();
  const store = new MemoryStore();
  const work: Executor = async function* ({ signal }) {
    yield working();
    await Promise.race([opened, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    yield completed();
  };
  const server = await serveFor(t, { card: keyed, execute: execute ?? work }, { store, auth, ...options });
  return { server, open, store, peers: [server.rpc, server.rest] as const };
}

const now = (words: string) => text(words, { configuration: { returnImmediately: true } });

/** Status, Retry-After, and what the body of a refusal says, in the words of each binding. */
async function refusal(peer: Peer, operation: string, request: object, headers: Record<string, string>) {
  const { error, response } = await peer.call(operation, request, headers);
  return [error, response.status, response.headers.get("retry-after")];
}

test("SEC-08, SEC-09, ERR-21: a caller's tasks beyond its share get 429, those of others go on", async (t) => {
  const { peers, open, store } = await serving(t, { limits: { tasksPerPrincipal: 2 } });
  for (const peer of peers) assert.ok((await peer.call("SendMessage", now("work"), as("ann"))).result);
  for (const peer of peers) {
    for (const operation of ["SendMessage", "SendStreamingMessage"]) {
      assert.deepEqual(await refusal(peer, operation, now("more"), as("ann")), ["RATE_LIMITED", 429, "5"]);
    }
  }
  assert.equal(store.size(), 2);
  assert.ok((await peers[0].call("SendMessage", now("work"), as("bob"))).result);
  open();
});

test("SEC-08, ERR-20: beyond what the process can do it is 503, and a place that is free is given away", async (t) => {
  const { peers, open, store } = await serving(t, { limits: { tasks: 1 } });
  const [rpc, rest] = peers;
  const { result } = await rpc.call("SendMessage", now("work"), as("ann"));
  for (const peer of peers) {
    assert.deepEqual(await refusal(peer, "SendMessage", now("more"), as("bob")), ["UNAVAILABLE", 503, "5"]);
  }
  await rest.call("CancelTask", { id: result.task.id }, as("ann"));
  open();
  // The place is free when the executor has come to its end.
  while ((await rpc.call("SendMessage", text("again"), as("bob"))).error === "UNAVAILABLE");
  assert.equal(store.size(), 2);
});

test("SEC-08: with a queue a message waits for its executor, and is answered as if it had not", async (t) => {
  const { peers, open, store } = await serving(t, { limits: { tasks: 1, queue: 1 } });
  const [rpc, rest] = peers;
  await rpc.call("SendMessage", now("first"), as("ann"));
  const second = rest.call("SendMessage", text("second"), as("bob"));
  while ((await rpc.call("SendMessage", text("third"), as("ann"))).error !== "UNAVAILABLE");
  assert.equal(store.size(), 1);
  open();
  assert.equal((await second).result.task.status.state, "TASK_STATE_COMPLETED");
});

test("SEC-08: a message for a task that waits counts when it starts the executor again", async (t) => {
  const { open, opened } = gate();
  const { peers } = await serving(t, { limits: { tasks: 1 } }, async function* ({ text }) {
    if (text === "ask") return yield inputRequired("what?");
    yield working();
    await opened;
  });
  const [rpc] = peers;
  const { result } = await rpc.call("SendMessage", text("ask"), as("ann"));
  await rpc.call("SendMessage", now("work"), as("ann"));
  const followUp = text("answer", { message: { taskId: result.task.id } });
  assert.equal((await rpc.call("SendMessage", followUp, as("ann"))).error, "UNAVAILABLE");
  const { result: task } = await rpc.call("GetTask", { id: result.task.id }, as("ann"));
  assert.equal(task.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.equal(task.history.length, 1);
  open();
});

test("SEC-08, ERR-21: a caller's open streams beyond its share get 429; one that ends makes room", async (t) => {
  const { peers, open } = await serving(t, { limits: { streamsPerPrincipal: 1 } });
  const [rpc, rest] = peers;
  const stop = new AbortController();
  const stream = rpc.stream("SendStreamingMessage", text("work"), {
    headers: as("ann"),
    signal: stop.signal,
  });
  const { value } = await stream.next();
  const { id } = value?.data.task ?? {};
  for (const peer of peers) {
    const request = { id };
    assert.deepEqual(await refusal(peer, "SubscribeToTask", request, as("ann")), ["RATE_LIMITED", 429, "5"]);
  }
  const other = rest.stream("SendStreamingMessage", text("work"), { headers: as("bob") });
  assert.ok((await other.next()).value);
  stop.abort();
  await assert.rejects(stream.next());
  open();
  // A stream counts until its connection is gone.
  while ((await rpc.call("SubscribeToTask", { id: "none" }, as("ann"))).error === "RATE_LIMITED");
});

test("SEC-08, ERR-20: open streams of all callers together have a limit too; a failed one does not count", async (t) => {
  const { peers, open } = await serving(t, { limits: { streams: 1 } });
  const [rpc, rest] = peers;
  for (const peer of peers) {
    assert.equal((await peer.call("SubscribeToTask", { id: "none" }, as("bob"))).error, "TASK_NOT_FOUND");
  }
  const stream = rest.stream("SendStreamingMessage", text("work"), { headers: as("ann") });
  await stream.next();
  for (const peer of peers) {
    assert.deepEqual(await refusal(peer, "SendStreamingMessage", text("work"), as("bob")), [
      "UNAVAILABLE",
      503,
      "5",
    ]);
  }
  open();
  for await (const _ of stream);
  const next = rpc.stream("SendStreamingMessage", text("work"), { headers: as("bob") });
  for await (const _ of next);
});
