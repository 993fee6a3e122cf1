import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from "jose";
import { type TestContext, test } from "vitest";
import type { DeadLetter } from "../../src/push/options.js";
import { type PushKey, Signer } from "../../src/push/signer.js";
import { gate } from "../support/both.js";
import { changed, created } from "../task-log/entries.js";
import { Desk } from "./desk.js";
import { Webhook } from "./webhook.js";

const issuer = "https://agent.example";
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key: PushKey = { key: privateKey, kid: "one", alg: "ES256" };

async function deliver(t: TestContext, options: object, config: object) {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t, options);
  await desk.write("task-1", created(), changed("TASK_STATE_COMPLETED"));
  await desk.hook(webhook.url(), config);
  await webhook.count(2);
  return { webhook, desk, first: webhook.arrivals[0]!, second: webhook.arrivals[1]! };
}

test("PUSH-04: credentials are sent as they were given, the scheme as it was written", async (t) => {
  for (const scheme of ["Bearer", "bearer", "Basic", "X-Own"]) {
    const { first } = await deliver(t, {}, { authentication: { scheme, credentials: "a b=" } });
    assert.equal(first.headers.authorization, `${scheme} a b=`);
  }
});

test("PUSH-06: the token goes out under both names", async (t) => {
  const { first, second } = await deliver(t, {}, { token: "a token" });
  for (const { headers } of [first, second]) {
    assert.equal(headers["x-a2a-notification-token"], "a token");
    assert.equal(headers["a2a-notification-token"], "a token");
    assert.equal(headers.authorization, undefined);
  }
});

test("without token and authentication there is no such header", async (t) => {
  const { first } = await deliver(t, {}, {});
  const names = Object.keys(first.headers).sort();
  assert.deepEqual(names, [
    "a2a-notification-generation",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
  ]);
});

test("PUSH-05: a scheme without credentials gets those of the agent's provider", async (t) => {
  const asked: unknown[] = [];
  const credentials = async (request: unknown) => {
    asked.push(request);
    return "from the provider";
  };
  const { first, webhook, desk } = await deliver(
    t,
    { credentials },
    { id: "a", authentication: { scheme: "Bearer" } },
  );
  assert.equal(first.headers.authorization, "Bearer from the provider");
  assert.deepEqual(asked[0], {
    scope: { agent: "agent", tenant: "", owner: "alice" },
    taskId: "task-1",
    configId: "a",
    url: webhook.url(),
    scheme: "Bearer",
  });
  assert.deepEqual(desk.logger.lines, []);
});

test("PUSH-05: a scheme without credentials, and nobody who has any: no header, and a warning", async (t) => {
  for (const options of [{}, { credentials: () => undefined }]) {
    const { first, desk } = await deliver(t, options, { authentication: { scheme: "Bearer" } });
    assert.equal(first.headers.authorization, undefined);
    assert.equal(desk.logger.lines[0]?.level, "warn");
    assert.match(desk.logger.lines[0]?.text ?? "", /no credentials/);
  }
});

test("SEC-15: credentials of a provider that would break a header are not sent", async (t) => {
  let calls = 0;
  const credentials = () => (++calls === 1 ? "a\r\nX-Injected: 1" : "good");
  const { first } = await deliver(t, { credentials }, { authentication: { scheme: "Bearer" } });
  assert.equal(first.headers.authorization, "Bearer good");
  assert.equal(first.headers["x-injected"], undefined);
});

test("SEC-15, SEC-12: credentials of a provider that would break a header are reported, but not shown", async (t) => {
  const { opened, open } = gate();
  const letters: DeadLetter[] = [];
  const onDeadLetter = (letter: DeadLetter) => {
    letters.push(letter);
    open();
  };
  const desk = new Desk(t, { credentials: () => "planted\r\nX: 1", attempts: 1, onDeadLetter });
  await desk.write("task-1", created());
  await desk.hook("http://127.0.0.1:1/", { authentication: { scheme: "Bearer" } });
  await opened;
  assert.match(letters[0]?.reason ?? "", /push\.credentials/);
  const { lines } = desk.logger;
  const [failed] = lines.filter(({ level }) => level === "error");
  assert.deepEqual([failed?.text, failed?.facts.hook], ["A hook failed", "push.credentials"]);
  assert.match(failed?.facts.err.message, /use printable ASCII without spaces at the ends/);
  assert.doesNotMatch(inspect([letters, lines], { depth: null }), /planted/);
});

test("PUSH-17, PUSH-05: a signed notification carries its claims, and the key set verifies it", async (t) => {
  for (const authentication of [undefined, { scheme: "Bearer" }, { scheme: "bearer", credentials: "" }]) {
    const { first, second, webhook } = await deliver(
      t,
      { signing: { issuer, keys: [key] } },
      authentication ? { authentication } : {},
    );
    const keys = createLocalJWKSet(await new Signer({ issuer, keys: [key] }).keySet());
    const ids = new Set();
    for (const { headers, body } of [first, second]) {
      const token = headers.authorization?.replace(/^Bearer /, "") ?? "";
      const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer, audience: webhook.url() });
      assert.deepEqual(protectedHeader, { alg: "ES256", kid: "one", typ: "JWT" });
      const digest = createHash("sha256").update(body).digest("hex");
      assert.equal(payload.payload_hash, digest);
      assert.equal(payload.request_body_sha256, digest);
      assert.equal(payload.taskId, "task-1");
      assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 300);
      assert.ok(Math.abs(Date.now() / 1000 - (payload.iat ?? 0)) < 60);
      ids.add(payload.jti);
    }
    assert.equal(ids.size, 2);
  }
});

test("PUSH-17: beside credentials of the webhook's owner the signature has a header of its own", async (t) => {
  const authentication = { scheme: "Basic", credentials: "YTpi" };
  const { first, webhook } = await deliver(t, { signing: { issuer, keys: [key] } }, { authentication });
  assert.equal(first.headers.authorization, "Basic YTpi");
  const keys = createLocalJWKSet(await new Signer({ issuer, keys: [key] }).keySet());
  await jwtVerify(String(first.headers["a2a-notification-signature"]), keys, {
    issuer,
    audience: webhook.url(),
  });
});

test("PUSH-17: each attempt to deliver has a signature of its own", async (t) => {
  const webhook = await Webhook.open(t, () => (webhook.arrivals.length < 3 ? 503 : 204));
  const desk = new Desk(t, { signing: { issuer, keys: [key] } });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(3);
  assert.equal(new Set(webhook.arrivals.map(({ headers }) => headers.authorization)).size, 3);
});

test("keys change: the new one signs, the old one stays published until it is dropped", async () => {
  const other = {
    key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
    kid: "two",
    alg: "RS256",
  };
  let keys: PushKey[] = [key];
  const signer = new Signer({ issuer, keys: () => keys });
  const sign = () => signer.sign({ audience: "a", taskId: "t", generation: 1, body: "{}", now: Date.now() });
  const old = await sign();
  keys = [other, key];
  const fresh = await sign();
  const published = createLocalJWKSet(await signer.keySet());
  assert.equal((await jwtVerify(old, published)).protectedHeader.kid, "one");
  assert.equal((await jwtVerify(fresh, published)).protectedHeader.kid, "two");
  keys = [other];
  await assert.rejects(jwtVerify(old, createLocalJWKSet(await signer.keySet())));
});

test("the key set holds no private part, whatever the key is made of", async () => {
  const web = await generateKeyPair("ES256", { extractable: false });
  const jwk = await exportJWK(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
  const keys = [
    key,
    { key: web.privateKey, kid: "web", alg: "ES256" },
    { key: { ...jwk, key_ops: ["sign"] }, kid: "jwk", alg: "PS256" },
    { key: generateKeyPairSync("ed25519").privateKey, kid: "ed", alg: "EdDSA" },
  ];
  for (const one of keys) {
    const signer = new Signer({ issuer, keys: [one] });
    const token = await signer.sign({
      audience: "a",
      taskId: "t",
      generation: 1,
      body: "{}",
      now: Date.now(),
    });
    const set = await signer.keySet();
    await jwtVerify(token, createLocalJWKSet(set));
    for (const member of ["d", "p", "q", "dp", "dq", "qi", "k", "key_ops"]) {
      assert.ok(!(member in (set.keys[0] ?? {})), `${one.kid} publishes ${member}`);
    }
  }
});

test("keys and issuers that cannot be right are refused at start", () => {
  assert.throws(() => new Signer({ issuer, keys: [] }), /at least one/);
  assert.throws(() => new Signer({ issuer: "", keys: [key] }), /issuer/);
  assert.throws(() => new Signer({ issuer, keys: [{ ...key, kid: "" }] }), /kid/);
  assert.throws(() => new Signer({ issuer, keys: [{ ...key, alg: "HS256" }] }), /no public key/);
  assert.throws(() => new Signer({ issuer, keys: [{ ...key, alg: "none" }] }), /no public key/);
});
