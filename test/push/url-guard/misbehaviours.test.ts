import assert from "node:assert/strict";
import { afterAll, type TestContext, test } from "vitest";
import { type Resolver, UrlGuard } from "../../../src/push/index.js";
import { failing, MisbehavingReceiver, type Misbehaviour, succeeding } from "../misbehaviours.js";
import { certificate } from "./certificate.js";

const NEAR = { allowHttp: true, allowPrivateNetworks: true };
const TIMEOUT = 300;
/** What a machine under load may add, in milliseconds. */
const SLACK = 5000;
const REQUEST = { method: "POST", body: "x".repeat(1000), timeout: TIMEOUT };

async function openReceiver(t: TestContext, misbehave: Misbehaviour): Promise<MisbehavingReceiver> {
  const receiver = await MisbehavingReceiver.listen(misbehave);
  t.onTestFinished(() => receiver.close());
  return receiver;
}

function openGuard(t: TestContext, resolve?: Resolver): UrlGuard {
  const guard = new UrlGuard({ ...NEAR, ...(resolve && { resolve }) });
  t.onTestFinished(() => guard.close());
  return guard;
}

/** The timers of a guard keep no process alive, and there is nothing else here that does. */
const alive = setInterval(() => undefined, 1000);
afterAll(() => clearInterval(alive));

/** Resolves once a condition holds that follows from what the kernel tells this process; fails after a while. */
async function eventually(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + SLACK;
  while (!holds()) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Resolves once the connections of a receiver are closed. One that never reads finds out only when it reads on. */
async function allClosed(receiver: MisbehavingReceiver): Promise<void> {
  void receiver.readOn();
  await eventually(() => receiver.open === 0, "a connection is open");
}

for (const [name, misbehave] of Object.entries(failing)) {
  test(`PUSH-10: a receiver that ${name} fails the request within its time, and keeps no connection`, async (t) => {
    const receiver = await openReceiver(t, misbehave);
    const guard = openGuard(t);
    const begun = performance.now();
    await assert.rejects(guard.request(receiver.url(), REQUEST));
    await assert.rejects(guard.request(receiver.url(), { ...REQUEST, maxBytes: 100 }));
    assert.ok(performance.now() - begun < 2 * TIMEOUT + SLACK);
    await allClosed(receiver);
  });
}

for (const [name, misbehave] of Object.entries(succeeding)) {
  test(`PUSH-12: a receiver that ${name} is judged by its headers, and the connection does not outlive that`, async (t) => {
    const receiver = await openReceiver(t, misbehave);
    const guard = openGuard(t);
    const answer = await guard.request(receiver.url(), { ...REQUEST, timeout: SLACK });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.length, 0);
    guard.close();
    await allClosed(receiver);
  });
}

/** More than the buffers of both ends of a connection take. */
const LARGE = new Uint8Array(64 * 1024 * 1024);

for (const scheme of ["http", "https"]) {
  for (const status of ["204 No Content", "413 Content Too Large"]) {
    test(`PUSH-10, PUSH-13: a receiver that answers ${status} and never reads is judged by that, and gets no more of the request, over ${scheme}`, async (t) => {
      const misbehave: Misbehaviour = (socket) => {
        socket.once("data", () => socket.pause().write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));
      };
      const receiver = await MisbehavingReceiver.listen(misbehave, scheme === "https");
      t.onTestFinished(() => receiver.close());
      const guard = new UrlGuard({ ...NEAR, ca: certificate.cert, resolve: async () => ["127.0.0.1"] });
      t.onTestFinished(() => guard.close());
      const url = receiver.url(scheme, "hooks.example.test");
      for (const maxBytes of [undefined, 100]) {
        const sent = { method: "POST", body: LARGE, timeout: 10 * SLACK, ...(maxBytes && { maxBytes }) };
        assert.equal((await guard.request(url, sent)).status, Number.parseInt(status, 10));
        assert.ok((await receiver.readOn()) < LARGE.length / 2);
      }
    });
  }
}

test("PUSH-10: TLS that is never completed fails the request within its time", async (t) => {
  const receiver = await openReceiver(t, (socket) => socket.resume());
  const guard = openGuard(t);
  await assert.rejects(guard.request(receiver.url("https"), REQUEST), { code: "ETIMEDOUT" });
  await allClosed(receiver);
});

test("PUSH-10: a name that is never resolved fails the request within its time", async (t) => {
  const guard = openGuard(t, () => new Promise(() => undefined));
  await assert.rejects(guard.request("http://tarpit.example/", REQUEST), { code: "ETIMEDOUT" });
});

test("a stale connection is replaced within the time of the one request", async (t) => {
  // The connection breaks so late that two limits in a row are far from one, on a busy machine too.
  const [limit, broken] = [2000, 1600];
  let answers = 0;
  const receiver = await openReceiver(t, (socket) => {
    // The first request on the first connection is answered; then that one is reset, and the next never answers.
    socket.on("data", () => {
      answers += 1;
      if (answers === 1) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      else if (answers === 2) setTimeout(() => socket.resetAndDestroy(), broken);
    });
  });
  const guard = openGuard(t);
  assert.equal((await guard.request(receiver.url(), REQUEST)).status, 204);
  const begun = performance.now();
  const request = guard.request(receiver.url(), { ...REQUEST, timeout: limit });
  await assert.rejects(request, { code: "ETIMEDOUT" });
  assert.equal(receiver.connections, 2);
  assert.ok(performance.now() - begun < limit + broken - 400);
});

test("SEC-04: fetch of a guard rejects when the answer is 101", async (t) => {
  const misbehave = failing["answers 101"];
  assert.ok(misbehave);
  const receiver = await openReceiver(t, misbehave);
  await assert.rejects(openGuard(t).fetch(receiver.url()), /switched protocols/);
});
