import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { bearer } from "../auth/guarded.js";
import { rpcPeer, text } from "../support/peer.js";
import { SmallHeapServer } from "../support/small-heap.js";
import { Webhook } from "./webhook.js";

const MIB = 1024 * 1024;
const OWNERS = ["ann", "bob", "cleo", "dan"];
/** Webhooks of each owner: with those of the others as many as there are places for requests. */
const EACH = 32;
/** So many IP addresses that no address is what bounds them. */
const ADDRESSES = 32;
/** What the bound, and one event for each of the two queues, may take: as text, and as bytes for the socket. */
const CEILING = 2 * (32 + 2 * 9) * MIB;

test("PUSH-13, SEC-08: 128 webhooks that never read an event of 9 MiB end no small process and delay no other webhook", async (t) => {
  const server = await SmallHeapServer.start("test/push/large-notifications-server.ts", ...OWNERS, "honest");
  t.onTestFinished(() => server.stop());
  const peer = rpcPeer(server.url);
  const as = (owner: string, operation: string, params: object) =>
    peer.call(operation, params, bearer(owner));

  let unread = 0;
  const receiver = createServer((request, response) => {
    if (Number(request.headers["content-length"]) > MIB) unread += 1;
    else request.resume().once("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "0.0.0.0", resolve));
  t.onTestFinished(() => void receiver.close().closeAllConnections());
  const { port } = receiver.address() as AddressInfo;

  for (const owner of OWNERS) {
    const now = { configuration: { returnImmediately: true } };
    const { result } = await as(owner, "SendMessage", text("large 9", now));
    for (let webhook = 0; webhook < EACH; webhook += 1) {
      const url = `http://127.0.0.${1 + (webhook % ADDRESSES)}:${port}/${webhook}`;
      const { error } = await as(owner, "CreateTaskPushNotificationConfig", { taskId: result.task.id, url });
      assert.equal(error, undefined);
    }
  }
  const before = await server.held();
  const honest = await Webhook.open(t);
  const inline = { configuration: { taskPushNotificationConfig: { url: honest.url() } } };
  await as("honest", "SendMessage", text("go", inline));
  await honest.count(2);
  // More than fit at once: places in the fast queue were given up and taken again.
  while (unread < 8) await new Promise((resolve) => setImmediate(resolve));
  await as("honest", "SendMessage", text("large 9", inline));
  await honest.count(5);
  const { heap, buffers } = await server.held();
  const grown = heap + buffers - before.heap - before.buffers - (OWNERS.length + 1) * 9 * MIB;
  assert.ok(grown < CEILING, `the process holds ${Math.round(grown / MIB)} MiB more than its tasks`);
});
