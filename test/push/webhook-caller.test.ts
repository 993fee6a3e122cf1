import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "vitest";
import { WebhookCaller } from "../../src/push/index.js";
import { canary } from "./canary.js";

test("JSONV-19: a webhook caller sends no lone surrogate", async (t) => {
  let body: Promise<string> | undefined;
  const { port } = await canary(t, (request, response) => {
    body = text(request);
    response.writeHead(204).end();
  });
  const webhooks = new WebhookCaller({ allowHttp: true, allowPrivateNetworks: true });
  t.onTestFinished(() => webhooks.close());
  const parts = (cut: string) => ({ artifactId: "a", parts: [{ text: `cut ${cut}` }] });
  const event = (cut: string) => ({ artifactUpdate: { taskId: "t", contextId: "c", artifact: parts(cut) } });
  await webhooks.call({ url: `http://127.0.0.1:${port}/` }, event("\ud83d"));
  assert.equal(await body, JSON.stringify(event("\ufffd")));
});
