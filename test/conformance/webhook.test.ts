import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "vitest";
import { WebhookListener } from "../../src/conformance/webhook.js";

test("a webhook ignores a notification whose caller disconnects before its end", async (t) => {
  const rejections: unknown[] = [];
  const listener = (reason: unknown) => rejections.push(reason);
  process.on("unhandledRejection", listener);
  t.onTestFinished(() => void process.off("unhandledRejection", listener));
  const webhook = await WebhookListener.open();
  t.onTestFinished(() => webhook.close());
  const { hostname, port } = new URL(webhook.url);

  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write('POST /hook HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"task":');
  // The server has read the head once it answers the request after it on another connection.
  await fetch(webhook.url, { method: "POST", body: '{"message":{}}' });
  socket.resetAndDestroy();
  await fetch(webhook.url, { method: "POST", body: '{"statusUpdate":{}}' });
  await webhook.until((last) => JSON.stringify(last) === '{"statusUpdate":{}}', 5);

  assert.deepEqual(
    webhook.arrivals.map(({ value }) => value),
    [{ message: {} }, { statusUpdate: {} }],
  );
  assert.deepEqual(rejections, []);
});

test("a webhook that does not get the expected notification in time says how many arrived", async (t) => {
  const webhook = await WebhookListener.open();
  t.onTestFinished(() => webhook.close());
  await fetch(webhook.url, { method: "POST", body: "{}" });
  await assert.rejects(
    webhook.until(() => false, 0.01),
    {
      name: "Deviation",
      message: "1 notifications arrived, but not the expected one",
    },
  );
});
