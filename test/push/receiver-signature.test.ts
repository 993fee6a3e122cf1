import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { SignJWT } from "jose";
import { test } from "vitest";
import { type PushReceiverOptions, pushReceiver } from "../../src/push/index.js";
import type { PushKey } from "../../src/push/signer.js";
import { changed, created } from "../task-log/entries.js";
import { Desk } from "./desk.js";
import { body, issuer, now, privateKey, publicKey, receiverFor, signer, url } from "./receiving.js";
import { Webhook } from "./webhook.js";

/** Options that demand the agent's signature and nothing else. */
async function signed(more: Partial<PushReceiverOptions> = {}): Promise<Partial<PushReceiverOptions>> {
  const keys = await signer.keySet();
  return {
    expect: ({ taskId }) => (taskId === "task-1" ? {} : undefined),
    signature: { issuer, audience: [url], keys },
    ...more,
  };
}

const sign = (more: object = {}) =>
  signer.sign({ audience: url, taskId: "task-1", generation: 5, body, now, ...more });

test("HOOK-02: a notification that the agent has signed is taken, with its claims", async () => {
  const { send, taken } = receiverFor(await signed());
  assert.equal(await send({ headers: { authorization: `Bearer ${await sign()}` } }), 204);
  assert.equal(taken[0]?.generation, 5);
  assert.equal(taken[0]?.claims?.iss, issuer);
});

test("HOOK-02: the signature may come beside credentials, which are checked as well", async () => {
  const { send } = receiverFor(await signed({ expect: () => ({ authorization: "Basic YTpi" }) }));
  const token = await sign();
  assert.equal(await send({ headers: { "a2a-notification-signature": token } }), 401);
  assert.equal(await send({ headers: { authorization: "Basic YTpi" } }), 401);
  const headers = { authorization: "Basic YTpi", "a2a-notification-signature": token };
  assert.equal(await send({ headers }), 204);
});

test("HOOK-03: whoever has a signature of the agent learns that a task is not expected", async () => {
  const { send } = receiverFor(await signed());
  const other = JSON.stringify({ task: { id: "task-2", status: { state: "TASK_STATE_WORKING" } } });
  const token = await sign({ body: other, taskId: "task-2" });
  assert.equal(await send({ body: other, headers: { authorization: `Bearer ${token}` } }), 404);
});

test("HOOK-06: a signature is taken once", async () => {
  const { send, taken } = receiverFor(await signed());
  const headers = { authorization: `Bearer ${await sign()}` };
  assert.equal(await send({ headers }), 204);
  assert.equal(await send({ headers }), 409);
  // The same event with a fresh signature is a repetition of the sender's.
  assert.equal(await send({ headers: { authorization: `Bearer ${await sign()}` } }), 204);
  assert.equal(taken.length, 1);
});

test("HOOK-06: a signature whose notification could not be handed over may come again", async () => {
  let fails = true;
  const { send } = receiverFor(
    await signed({
      onNotification: () => {
        if (fails) throw new Error("away");
      },
    }),
  );
  const headers = { authorization: `Bearer ${await sign()}` };
  assert.equal(await send({ headers }), 500);
  fails = false;
  assert.equal(await send({ headers }), 204);
});

/** A token with everything right but what a test changes. */
async function forge(
  claims: Record<string, unknown>,
  header: object = {},
  by: PushKey["key"] | Uint8Array = privateKey,
) {
  const digest = createHash("sha256").update(body).digest("hex");
  const issued = Math.floor(now / 1000);
  const all = {
    iss: issuer,
    aud: url,
    iat: issued,
    exp: issued + 300,
    jti: randomUUID(),
    taskId: "task-1",
    payload_hash: digest,
    request_body_sha256: digest,
    ...claims,
  };
  const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid: "one", ...header }).sign(by);
}

const second = Math.floor(now / 1000);
const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" });
const publicPem = new TextEncoder().encode(publicKey.export({ type: "spki", format: "pem" }).toString());
const unsecured = [{ alg: "none" }, { iss: issuer, aud: url, iat: second, exp: second + 60, jti: "1" }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");

const wrong: Record<string, () => string | Promise<string>> = {
  "no token": () => "",
  "no JWT": () => "abc",
  "the algorithm none": () => `${unsecured}.`,
  "the public key as a shared secret": () => forge({}, { alg: "HS256" }, publicPem),
  "another key with the right name": () => forge({}, {}, stranger.privateKey),
  "an unknown key": () => forge({}, { kid: "two" }, stranger.privateKey),
  "another issuer": () => forge({ iss: "https://evil.example" }),
  "no issuer": () => forge({ iss: undefined }),
  "another audience": () => forge({ aud: "https://hooks.example/other" }),
  "no audience": () => forge({ aud: undefined }),
  "an expired token": () => forge({ iat: second - 100, exp: second - 60 }),
  "no expiry": () => forge({ exp: undefined }),
  "a token from long ago that has not expired": () => forge({ iat: second - 600, exp: second + 600 }),
  "a token from the future": () => forge({ iat: second + 600, exp: second + 900 }),
  "no time of issue": () => forge({ iat: undefined }),
  "no id": () => forge({ jti: undefined }),
  "another body's hash": () => forge({ payload_hash: "00".repeat(32), request_body_sha256: undefined }),
  "two hashes of which one is wrong": () => forge({ request_body_sha256: "00".repeat(32) }),
  "no hash": () => forge({ payload_hash: undefined, request_body_sha256: undefined }),
  "a hash that is none": () => forge({ payload_hash: 7 }),
  "another task": () => forge({ taskId: "task-2" }),
};
for (const [what, make] of Object.entries(wrong)) {
  test(`HOOK-02, HOOK-06: ${what} is refused with 401`, async () => {
    const { send, taken } = receiverFor(await signed());
    assert.equal(await send({ headers: { authorization: `Bearer ${await make()}` } }), 401);
    assert.equal(taken.length, 0);
  });
}

test("PUSH-17: one of the two hashes is enough, and a small difference of clocks is allowed", async () => {
  const { send } = receiverFor(await signed());
  for (const claims of [
    { payload_hash: undefined },
    { request_body_sha256: undefined },
    { iat: second + 20 },
  ]) {
    assert.equal(await send({ headers: { authorization: `Bearer ${await forge(claims)}` } }), 204);
  }
});

test("while the keys cannot be had a notification is worth another attempt", async () => {
  const keys = "https://agent.example/.well-known/jwks.json";
  const fetch = () => Promise.reject(new TypeError("fetch failed"));
  const { send } = receiverFor(await signed({ signature: { issuer, audience: url, keys, fetch } }));
  assert.equal(await send({ headers: { authorization: `Bearer ${await sign()}` } }), 503);
});

test("rules of signatures that cannot be right are refused at start", async () => {
  const keys = await signer.keySet();
  const rules = { issuer, audience: url, keys };
  const make = (changes: object) => () =>
    receiverFor({ signature: { ...rules, ...changes } as typeof rules });
  assert.throws(make({ issuer: "" }), /issuer/);
  assert.throws(make({ audience: [] }), /audience/);
  assert.throws(make({ algorithms: ["HS256"] }), /algorithms/);
  assert.throws(make({ algorithms: [] }), /algorithms/);
  assert.throws(make({ keys: "http://agent.example/keys" }), /https/);
  for (const name of ["maxAge", "clockTolerance"])
    for (const seconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, "300"])
      assert.throws(make({ [name]: seconds }), {
        name: "TypeError",
        message: new RegExp(`^signature.${name} `),
      });
  assert.doesNotThrow(make({ maxAge: 0, clockTolerance: 0 }));
});

test("HOOK-06, PUSH-12: a notification that is sent again because its connection was closed has a new signature", async (t) => {
  const notified: number[] = [];
  const webhook = await Webhook.open(t);
  const keys = await signer.keySet();
  const receiver = pushReceiver({
    expect: () => ({}),
    onNotification: ({ generation = 0 }) => void notified.push(generation),
    signature: { issuer, audience: webhook.url(), keys },
  });
  const statuses: number[] = [];
  webhook.answer = ({ method, path, headers, body: sent }, response) => {
    void receiver.receive({ method, url: path, headers, body: sent }).then(({ status }) => {
      statuses.push(status);
      // The second notification is processed, but its response is lost with the kept connection.
      if (statuses.length === 2) (response.socket as Socket).resetAndDestroy();
      else response.writeHead(status).end();
    });
    return undefined;
  };
  const deadLetters: unknown[] = [];
  const signing = { issuer, keys: [{ key: privateKey, kid: "one", alg: "ES256" }] };
  const desk = new Desk(t, { signing, onDeadLetter: (letter) => void deadLetters.push(letter) });
  await desk.write("task-1", created(), changed("TASK_STATE_COMPLETED"));
  const record = await desk.hook(webhook.url());
  await webhook.count(3);
  await desk.push.close();
  assert.deepEqual(statuses, [204, 204, 204]);
  assert.deepEqual(notified, [1, 2]);
  assert.deepEqual(deadLetters, []);
  assert.equal((await desk.cursor(record))?.state, "done");
});
