import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, type Executor, inputRequired } from "../../src/index.js";
import type { Readings } from "../../src/observability/metrics.js";
import type { ServerVersion, Telemetry } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { NotingLogger } from "../push/desk.js";
import { gate } from "../support/both.js";
import { onEachStore } from "../support/each-store.js";
import { type Peer, plainCard, serveFor, text } from "../support/peer.js";
import { ways } from "./ways.js";

const KIB = 1024;
const versions: readonly ServerVersion[] = ["1.0", "0.3", "0.1-flat", "0.1"];

/** Asks its caller, so that tasks stay open. */
async function* ask() {
  yield inputRequired("What?");
}

/** A test over each JSON binding of an executor whose store has room for 64 KiB. */
function withLittleRoom(name: string, execute: Executor, run: (peer: Peer) => Promise<void>): void {
  for (const binding of ["rpc", "rest"] as const) {
    test(`${name} [${binding}]`, async (t) => {
      const store = new MemoryStore({ maxBytesPerOwner: 64 * KIB });
      await run((await serveFor(t, { card: plainCard, execute }, { store }))[binding]);
    });
  }
}

for (const way of ways) {
  test(`SEC-08: beyond the bytes of an owner new tasks are refused as UNAVAILABLE [${way.name}]`, async (t) => {
    const store = new MemoryStore({ maxBytesPerOwner: 64 * KIB });
    const server = await serveFor(t, { card: plainCard, execute: ask }, { store, versions });
    const send = () =>
      fetch(server.url + way.path.send, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...way.headers },
        body: JSON.stringify(way.body("x".repeat(10 * KIB), false)),
      });
    let answer = await send();
    let taken = 0;
    for (; answer.headers.get("retry-after") === null; taken += 1) {
      assert.doesNotMatch(await answer.text(), /"error"/);
      answer = await send();
    }
    assert.equal(taken, 5);
    assert.match(await answer.text(), /Your tasks use all the memory that the server has for one caller/);
    assert.equal(store.size(), 5);
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  });
}

withLittleRoom(
  "SEC-08: a message that there is no room for is refused as UNAVAILABLE, and its task stays as it is",
  ask,
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("x".repeat(30 * KIB)));
    const { id } = result.task;
    const large = text("x".repeat(40 * KIB), { message: { taskId: id } });
    const { error, response } = await peer.call("SendMessage", large);
    assert.deepEqual([error, response.headers.get("retry-after")], ["UNAVAILABLE", "5"]);
    assert.equal((await peer.call("GetTask", { id })).result.status.state, "TASK_STATE_INPUT_REQUIRED");
    const answer = await peer.call("SendMessage", text("short", { message: { taskId: id } }));
    assert.equal(
      answer.result.task.history.filter(({ role }: { role: string }) => role === "ROLE_USER").length,
      2,
    );
  },
);

withLittleRoom(
  "SEC-08: room comes back when tasks end, and what ended first goes",
  async function* ({ text }) {
    if (text.startsWith("ask")) yield inputRequired("?");
    else yield completed();
  },
  async (peer) => {
    const send = async (words: string, taskId?: string) =>
      (
        await peer.call(
          "SendMessage",
          text(words.padEnd(25 * KIB), { message: { ...(taskId && { taskId }) } }),
        )
      ).result?.task;
    const first = await send("ask");
    const second = await send("ask");
    assert.equal(await send("end"), undefined);
    assert.equal(
      (await peer.call("CancelTask", { id: first.id })).result.status.state,
      "TASK_STATE_CANCELED",
    );
    const third = await send("end");
    assert.equal(third.status.state, "TASK_STATE_COMPLETED");
    assert.equal((await peer.call("GetTask", { id: first.id })).error, "TASK_NOT_FOUND");
    assert.equal(
      (await peer.call("CancelTask", { id: second.id })).result.status.state,
      "TASK_STATE_CANCELED",
    );
  },
);

test("SEC-08: a task whose executor gives what there is no room for fails, with a reason", async (t) => {
  const stopped = gate<unknown>();
  const store = new MemoryStore({ maxBytesPerOwner: 64 * KIB });
  const logger = new NotingLogger();
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ signal }) {
        const answer = artifact();
        signal.addEventListener("abort", () => stopped.open(signal.reason));
        for (;;) {
          yield answer.text("x".repeat(10 * KIB));
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    },
    { store, logger },
  );
  const frames = [];
  for await (const { data } of server.rpc.stream("SendStreamingMessage", text("go"))) frames.push(data);
  const last = frames.at(-1)?.statusUpdate.status;
  assert.equal(last.state, "TASK_STATE_FAILED");
  assert.match(last.message.parts[0].text, /use all the memory that the server has for one caller/);
  await stopped.opened;
  const { id } = frames[0].task;
  const task = (await server.rest.call("GetTask", { id })).result;
  assert.deepEqual(
    [task.status.state, task.artifacts[0].parts.length],
    ["TASK_STATE_FAILED", frames.length - 2],
  );
  assert.ok(task.artifacts[0].parts.length >= 5);
  assert.ok(store.bytes() <= 66 * KIB);
  assert.equal(store.leases(), 0);
  const lines = logger.lines.filter(({ facts }) => facts.err !== undefined);
  assert.deepEqual(
    lines.map(({ level, facts }) => [level, facts.taskId]),
    [["warn", id]],
  );
  assert.ok((await server.rpc.call("SendMessage", text("again"))).result);
});

onEachStore("a metric says how many bytes the store holds in memory", async (store, t) => {
  let read: (() => Readings | Promise<Readings>) | undefined;
  const telemetry: Telemetry = {
    begin: () => ({
      trace: undefined,
      run: (body) => body(),
      annotate: () => undefined,
      end: () => undefined,
    }),
    count: () => undefined,
    time: () => undefined,
    observe: (given) => {
      read = given;
      return () => undefined;
    },
  };
  const execute: Executor = async function* () {
    yield completed("x".repeat(50 * KIB));
  };
  const server = await serveFor(t, { card: plainCard, execute }, { telemetry, store });
  const stored = async () => (await read?.())?.["a2a.server.stored"] ?? Number.NaN;
  const before = await stored();
  await server.rpc.call("SendMessage", text("go"));
  assert.ok((await stored()) - before > 50 * KIB);
});
