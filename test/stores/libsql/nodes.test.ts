import assert from "node:assert/strict";
import { once } from "node:events";
import { createClient } from "@libsql/client/http";
import { type TestContext, test } from "vitest";
import {
  type AgentDefinition,
  completed,
  type ExecutionContext,
  inputRequired,
  type Update,
  working,
} from "../../../src/index.js";
import { serve } from "../../../src/server/index.js";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { follow as followStream, started } from "../../engine/two-nodes.js";
import { plainCard, rpcPeer, text } from "../../support/peer.js";
import { emptySqld, withoutSqld as skip } from "../../support/sqld.js";
import { killWriters, testLogs } from "../crash.js";
import { testTwoNodes } from "../two-nodes.js";

testTwoNodes({ name: "libSQL", skip, database: emptySqld });

test("after a crash in the midst of appends the logs are whole, hold all that was acknowledged, and go on [libSQL]", {
  skip,
}, async () => {
  const url = await emptySqld();
  const ids = ["a", "b", "c"];
  const first = await killWriters(url, ["one", "two"], { ids, appends: 60 });
  const places = first.map(({ id, generation }) => `${id} ${generation}`);
  assert.equal(new Set(places).size, places.length);
  await testLogs(url, ids, first);
});

/** Two nodes on one database, each with a store of its own, and with short leases. */
async function twoNodes(t: TestContext, execute: AgentDefinition["execute"], attempts = 1) {
  const url = await emptySqld();
  const open = async () => {
    const store = await LibsqlStore.open({ url, pollInterval: 50 });
    const server = await serve(
      { card: plainCard, execute, attempts },
      { port: 0, store, logger: false, leaseTime: 1 },
    );
    let isClosed = false;
    const close = async () => {
      if (isClosed) return;
      isClosed = true;
      await server.close(1);
      await store.close();
    };
    t.onTestFinished(close);
    return { store, server, close, peer: rpcPeer(server.url) };
  };
  return { url, here: await open(), there: await open() };
}

const state = async (peer: ReturnType<typeof rpcPeer>, id: string) =>
  (await peer.call("GetTask", { id })).result.status.state;

test("of two nodes on libSQL, one streams what the other executes, up to its end", { skip }, async (t) => {
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { here, there } = await twoNodes(t, async function* (): AsyncGenerator<Update> {
    yield working();
    await gate;
    yield completed();
  });
  const { id } = (await here.peer.call("SendMessage", text("go", started))).result.task;
  const { end } = await followStream(there.peer, id);
  go();
  assert.equal((await end).state, "TASK_STATE_COMPLETED");
});

test("of two nodes on libSQL, one cancels what the other executes", { skip }, async (t) => {
  const { here, there } = await twoNodes(
    t,
    async function* ({ signal }: ExecutionContext): AsyncGenerator<Update> {
      yield working();
      await once(signal, "abort");
    },
  );
  const { id } = (await here.peer.call("SendMessage", text("go", started))).result.task;
  const { end } = await followStream(here.peer, id);
  assert.equal((await there.peer.call("CancelTask", { id })).result.status.state, "TASK_STATE_CANCELED");
  assert.equal((await end).state, "TASK_STATE_CANCELED");
});

test("of two nodes on libSQL, one answers the question of a task that the other began", {
  skip,
}, async (t) => {
  const { here, there } = await twoNodes(
    t,
    async function* ({ text }: ExecutionContext): AsyncGenerator<Update> {
      yield text === "go" ? inputRequired("Which one?") : completed(`You chose ${text}`);
    },
  );
  const { id, contextId } = (await here.peer.call("SendMessage", text("go"))).result.task;
  const { result } = await there.peer.call(
    "SendMessage",
    text("blue", { message: { taskId: id, contextId } }),
  );
  assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  assert.equal(await state(here.peer, id), "TASK_STATE_COMPLETED");
});

test("a node on libSQL takes over the task of one that has crashed, and executes it again", {
  skip,
}, async (t) => {
  const runs: number[] = [];
  async function* execute({ signal, attempt }: ExecutionContext): AsyncGenerator<Update> {
    runs.push(attempt);
    yield working();
    if (attempt === 1) await once(signal, "abort");
    yield completed();
  }
  const { url, here, there } = await twoNodes(t, execute, 2);
  const { id } = (await here.peer.call("SendMessage", text("go", started))).result.task;
  const { end } = await followStream(there.peer, id);
  // To the others, a node that has not renewed its leases has crashed.
  const client = createClient({ url });
  await client.execute("UPDATE parley_leases SET token = 'crashed', node = 'crashed', until = 0");
  client.close();
  assert.equal((await end).state, "TASK_STATE_COMPLETED");
  assert.deepEqual(runs, [1, 2]);
});

test("a node on libSQL executes again what a stopped node has left", { skip }, async (t) => {
  const runs: number[] = [];
  async function* execute({ signal, attempt }: ExecutionContext): AsyncGenerator<Update> {
    runs.push(attempt);
    yield working();
    if (attempt === 1) await once(signal, "abort");
    else yield completed();
  }
  const { here, there } = await twoNodes(t, execute, 2);
  const { id } = (await here.peer.call("SendMessage", text("go", started))).result.task;
  const { end } = await followStream(there.peer, id);
  await here.close();
  assert.equal((await end).state, "TASK_STATE_COMPLETED");
  assert.deepEqual(runs, [1, 2]);
});
