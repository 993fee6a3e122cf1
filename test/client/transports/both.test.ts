import assert from "node:assert/strict";
import { test } from "vitest";
import { type BindingName, ClientError, RemoteError } from "../../../src/client/index.js";
import { leastCost, slowTexts } from "../../operations/slow-texts.js";
import { eventStream, json, result } from "../scripted.js";
import { type Answer, assertInvalid, errorOf, html, over } from "./errors-of.js";

test("OP-PUSH-21, RESTB-08: whatever confirms a delete is taken", async () => {
  const answers: Answer[] = [
    (request) => result(request, null),
    (request) => result(request, {}),
    () => new Response(null, { status: 204 }),
    () => new Response(""),
  ];
  for (const answer of answers) {
    const { client } = await over("JSONRPC", answer);
    assert.equal(await client.deleteTaskPushNotificationConfig({ taskId: "t", id: "p" }), null);
  }
  for (const answer of [
    () => json({}),
    () => json(null),
    () => new Response(null, { status: 204 }),
    () => new Response(""),
  ]) {
    const { client, seen } = await over("HTTP+JSON", answer);
    assert.equal(await client.deleteTaskPushNotificationConfig({ taskId: "t", id: "p/1" }), null);
    assert.equal(seen[0]?.method, "DELETE");
    assert.equal(seen[0].url.pathname, "/a2a/tasks/t/pushNotificationConfigs/p%2F1");
    assert.equal(seen[0].text, "");
  }
});

for (const binding of ["JSONRPC", "HTTP+JSON"] satisfies BindingName[]) {
  test(`pages of proxies are errors that say what came [${binding}]`, async () => {
    for (const [status, code] of [
      [401, "UNAUTHENTICATED"],
      [403, "PERMISSION_DENIED"],
      [429, "RATE_LIMITED"],
      [502, "UNAVAILABLE"],
      [503, "UNAVAILABLE"],
      [504, "DEADLINE_EXCEEDED"],
    ] as const) {
      const error = await errorOf(binding, () => html(status));
      assert.ok(error instanceof RemoteError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, new RegExp(`HTTP ${status} with text/html`));
    }
    const error = await errorOf(binding, () => html(500));
    assert.ok(error instanceof ClientError);
    assert.match(error.message, /expected a JSON.*, received HTTP 500 with text\/html/);
  });

  test(`ERR-26: the time to wait is read, in seconds or as a date [${binding}]`, async () => {
    const after = async (value: string) => {
      const headers = { "Retry-After": value };
      const error = await errorOf(binding, () => new Response("", { status: 429, headers }));
      assert.ok(error instanceof RemoteError);
      return error.retryAfter;
    };
    assert.equal(await after("7"), 7);
    assert.equal(await after("1.5"), 1.5);
    assert.equal(await after("1."), 1);
    assert.equal(await after("soon"), undefined);
    const seconds = await after(new Date(Date.now() + 60_000).toUTCString());
    assert.ok(seconds !== undefined && seconds > 50 && seconds <= 60);
  });

  test(`whatever is in Retry-After, it is read in linear time [${binding}]`, async () => {
    // Milliseconds of CPU. What is quadratic takes seconds.
    const budget = 200;
    for (const [what, text] of Object.entries(slowTexts(64 * 1024))) {
      const headers = { "Retry-After": text };
      const answer = () => new Response("", { status: 429, headers });
      const cost = await leastCost(budget, () => errorOf(binding, answer));
      assert.ok(cost < budget, `${what}: ${cost} ms`);
    }
  });

  test(`a stream in the place of one answer is not valid, nor read [${binding}]`, async () => {
    const error = await errorOf(binding, () => eventStream(["data: {}\n\n"], "open"));
    assertInvalid(error, "a single response", "an event stream");
  });
}
