import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, vi } from "vitest";
import { completed, defineAgent, working } from "../../src/index.js";
import { createApp } from "../../src/server/index.js";
import { MemoryStore, type Scope } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { collect, plainCard, rpcPeer, text } from "../support/peer.js";
import { timersOfServer } from "./timers.js";

const STREAMS = 30;

/** Notes the signals that readers wait with. */
class WatchedStore extends MemoryStore {
  readonly signals = new Set<AbortSignal>();

  override wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void> {
    this.signals.add(signal);
    return super.wait(scope, taskId, after, signal);
  }
}

test("STR-10, STR-13: streams have no timer of their own and leave nothing behind, whether they end or are left", async (t) => {
  const store = new WatchedStore();
  const { open, opened } = gate();
  const agent = defineAgent({
    card: plainCard,
    async *execute() {
      yield working();
      await opened;
      yield completed();
    },
  });
  const app = createApp(agent, { store });
  const responses: ServerResponse[] = [];
  const callback = app.callback();
  const server = createServer((req, res) => {
    responses.push(res);
    void callback(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(async () => {
    await app.close();
    server.close();
  });
  const peer = rpcPeer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  const intervals = timersOfServer("setInterval");
  const timeouts = timersOfServer("setTimeout");
  const cleared = vi.spyOn(globalThis, "clearInterval");
  const begun = peer.stream("SendStreamingMessage", text("go"));
  const first = await begun.next();
  const { id } = first.value?.data.task ?? {};
  const counts = () => [intervals(), timeouts()];
  const ofOne = counts();
  const controller = new AbortController();
  const readers = Array.from({ length: STREAMS }, (_, index) =>
    peer.stream("SubscribeToTask", { id }, index % 2 === 0 ? {} : { signal: controller.signal }),
  );
  for (const reader of readers) assert.ok((await reader.next()).value?.data.task);
  assert.deepEqual(counts(), ofOne, "thirty more streams set no further timer");
  assert.equal(store.waiting(), STREAMS + 1);

  const closed = Promise.all(
    responses.filter((_, index) => index > 0 && index % 2 === 0).map((res) => closing(res)),
  );
  controller.abort();
  await closed;
  assert.equal(store.waiting(), STREAMS / 2 + 1, "who has left waits no longer");

  const rest = Promise.all(responses.filter((res) => !res.closed).map((res) => closing(res)));
  open();
  await Promise.all([begun, ...readers.filter((_, index) => index % 2 === 0)].map(collect));
  await rest;
  assert.equal(store.waiting(), 0);
  assert.equal(cleared.mock.calls.length, 1, "the one timer for all streams has gone with the last of them");
  for (const signal of store.signals) assert.equal(getEventListeners(signal, "abort").length, 0);
  for (const res of responses) {
    for (const name of ["drain", "close"]) assert.equal(res.listenerCount(name), 0, name);
  }
});

function closing(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => res.once("close", resolve));
}
