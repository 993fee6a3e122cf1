import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { completed, working } from "../../src/index.js";
import { bearerTokens } from "../../src/server/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { bearer } from "../auth/guarded.js";
import { serveFor, text } from "../support/peer.js";
import { near } from "./desk.js";
import { Webhook } from "./webhook.js";

const PORTS = 4;
const WEBHOOKS = 192;
/** The time limit of an attempt, in seconds: nothing that is slow here comes to an end while the test runs. */
const LIMIT = 600;
/** A slow request gives its place up after a second. The rest is what a busy machine may add. */
const SMALL_MS = 10_000;

/** Serves an agent whose callers have webhooks, and sends a message with one. */
async function stage(t: TestContext) {
  const { rpc } = await serveFor(
    t,
    {
      card: cardOf({ login: schemes.bearer }, ["login"]),
      async *execute() {
        yield working();
        yield completed();
      },
    },
    {
      push: { ...near, timeout: LIMIT, drain: 0 },
      auth: { verifiers: { login: bearerTokens({ "ann-token": "ann", "bob-token": "bob" }) } },
    },
  );
  return (owner: "ann" | "bob", url: string) => {
    const configuration = { taskPushNotificationConfig: { url } };
    return rpc.call("SendMessage", text("go", { configuration }), bearer(`${owner}-token`));
  };
}

const behaviours = {
  "never answer": () => undefined,
  "answer by headers after the time for fast ones": (
    _: unknown,
    response: { writeHead(status: number): any },
  ) => {
    setTimeout(() => response.writeHead(204).end(), 3000).unref();
    return undefined;
  },
};

for (const [name, answer] of Object.entries(behaviours)) {
  test(`PUSH-13: 192 webhooks that ${name}, on four ports of one host, delay no other webhook`, async (t) => {
    const send = await stage(t);
    const slow = await Promise.all(Array.from({ length: PORTS }, () => Webhook.open(t, answer)));
    for (let webhook = 0; webhook < WEBHOOKS; webhook += 1) {
      await send("ann", slow[webhook % PORTS]?.url(`/hook-${webhook}`) ?? "");
    }
    // As many as one owner may have under way at one address have begun.
    while (slow.reduce((sum, { arrivals }) => sum + arrivals.length, 0) < 12) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    // At the same address: for another owner, for the same one, and again for one that is known to be fast.
    for (const owner of ["bob", "ann", "bob", "ann"] as const) {
      const fast = await Webhook.open(t);
      const begun = performance.now();
      await send(owner, fast.url());
      await fast.count(2);
      const delay = performance.now() - begun;
      assert.ok(delay < SMALL_MS, `${owner} waited ${Math.round(delay)} ms`);
      assert.deepEqual(fast.generations, [1, 2]);
    }
  });
}
