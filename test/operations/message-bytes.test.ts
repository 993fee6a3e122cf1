import assert from "node:assert/strict";
import { artifact, completed, type ExecutionContext, inputRequired, working } from "../../src/index.js";
import type { Limits } from "../../src/server/index.js";
import type { TaskStore } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { onEachStore } from "../support/each-store.js";
import { gauges } from "../support/gauges.js";
import { type Peer, plainCard, serveFor, text } from "../support/peer.js";

const KIB = 1024;
const filler = (kib: number) => "x".repeat(kib * KIB);
const started = { configuration: { returnImmediately: true, historyLength: 0 } };

/** A server that says how many bytes of messages are being worked on. Its executor does what the first word of a message says. */
async function serving(t: Parameters<typeof serveFor>[0], store: TaskStore, limits: Limits) {
  const { open, opened } = gate();
  const { telemetry, read } = gauges();
  const execute = async function* ({ text: said, signal, nextMessage }: ExecutionContext) {
    const [word = "", size] = said.split(" ");
    if (word === "make") {
      yield artifact().text(filler(Number(size)));
      yield inputRequired("And now?");
      return;
    }
    yield working();
    if (word === "work") {
      await Promise.race([opened, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    }
    if (word === "next") while ((await nextMessage()).parts[0]?.text !== "end");
    yield completed();
  };
  const server = await serveFor(t, { card: plainCard, execute }, { store, telemetry, limits });
  const held = async () => (await read())["a2a.server.messages"];
  return {
    peers: [server.rpc, server.rest] as const,
    rpc: server.rpc,
    open,
    held,
    /** Waits until so many KiB are held, or up to 9 more. */
    async holds(kib: number): Promise<void> {
      for (let bytes = -1; !(bytes >= kib * KIB && bytes <= (kib + 9) * KIB); bytes = await held())
        await new Promise((resolve) => setTimeout(resolve, 2));
    },
  };
}

async function make(peer: Peer, words: string): Promise<string> {
  const { result, error, message } = await peer.call("SendMessage", text(words, started));
  assert.equal(error, undefined, message);
  return result.task.id;
}

onEachStore(
  "SEC-08, ERR-20, ERR-21: messages at work are bounded in bytes, for each caller and in all",
  async (store, t) => {
    const large = text(`work ${filler(60)}`, started);
    for (const [limits, code, status] of [
      [{ messagesPerPrincipal: 100 * KIB }, "RATE_LIMITED", 429],
      [{ messages: 100 * KIB }, "UNAVAILABLE", 503],
    ] as const) {
      const { peers, rpc, open, holds } = await serving(t, store, limits);
      // The second one passes the bound, as one message may.
      const ids = [await make(rpc, `work ${filler(60)}`), await make(rpc, `work ${filler(60)}`)];
      await holds(120);
      for (const peer of peers) {
        for (const operation of ["SendMessage", "SendStreamingMessage"]) {
          const { error, response } = await peer.call(operation, large);
          assert.deepEqual(
            [error, response.status, response.headers.get("retry-after")],
            [code, status, "5"],
          );
        }
      }
      const followUp = text(`more ${filler(60)}`, { message: { taskId: ids[0] as string }, ...started });
      assert.equal((await rpc.call("SendMessage", followUp)).error, code);
      assert.ok((await rpc.call("SendMessage", text("small"))).result, "small messages are not counted");
      open();
      await holds(0);
      assert.ok((await rpc.call("SendMessage", large)).result);
      await holds(0);
    }
  },
);

onEachStore(
  "SEC-08: a queued message counts until its run has ended, one that is asked for until the next",
  async (store, t) => {
    const { rpc, open, holds } = await serving(t, store, {});
    const taskId = await make(rpc, "work");
    const other = await make(rpc, "next");
    const send = (id: string, words: string) =>
      rpc.call("SendMessage", text(words, { message: { taskId: id }, ...started }));
    await send(other, `one ${filler(50)}`);
    await holds(50);
    await send(other, `two ${filler(80)}`);
    await holds(80);
    await send(taskId, `more ${filler(40)}`);
    await send(taskId, `more ${filler(30)}`);
    await holds(150);
    open();
    await holds(80);
    await send(other, "end");
    await holds(0);
  },
);

onEachStore("SEC-08: the task that a message continues counts while its executor works", async (store, t) => {
  const { rpc, open, holds } = await serving(t, store, { taskBytes: 400 * KIB });
  const [small, large] = [await make(rpc, "make 100"), await make(rpc, "make 401")];
  await holds(0);
  const refused = await rpc.call("SendMessage", text("work", { message: { taskId: large }, ...started }));
  assert.deepEqual([refused.error, refused.metadata], ["UNSUPPORTED_OPERATION", { taskId: large }]);
  assert.match(refused.message ?? "", /has 409600 bytes or more and accepts no more messages/);
  const { result } = await rpc.call("SendMessage", text("work", { message: { taskId: small }, ...started }));
  assert.equal(result.task.status.state, "TASK_STATE_WORKING");
  await holds(100);
  open();
  await holds(0);
});

onEachStore("SEC-08: tasks that a message refers to count, and are bounded together", async (store, t) => {
  const { peers, rpc, open, holds } = await serving(t, store, { messagesPerPrincipal: 250 * KIB });
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.push(await make(rpc, "make 100"));
  await holds(0);
  const referring = (referenceTaskIds: string[]) =>
    text("work", { message: { referenceTaskIds }, ...started });
  for (const peer of peers) {
    const { error, fields } = await peer.call("SendMessage", referring(ids));
    assert.deepEqual([error, fields], ["INVALID_PARAMS", ["message.referenceTaskIds"]]);
    await holds(0);
  }
  assert.ok((await rpc.call("SendMessage", referring(ids.slice(2)))).result);
  await holds(200);
  assert.ok((await rpc.call("SendMessage", referring(ids.slice(3)))).result);
  await holds(300);
  assert.equal((await rpc.call("SendMessage", referring(ids.slice(3)))).error, "RATE_LIMITED");
  open();
  await holds(0);
});
