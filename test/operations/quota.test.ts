import assert from "node:assert/strict";
import { test } from "vitest";
import { networkOf } from "../../src/net/network-of.js";
import { anonymous } from "../../src/protocol/call-context.js";
import { callerKey, Quota, type QuotaOptions } from "../../src/server/quota.js";

/** A call as far as a quota looks at it. */
function callOf(id: string, signal = new AbortController().signal, address = "192.0.2.1") {
  return { principal: id === "" ? anonymous : { id }, address, signal } as never;
}

const quota = (options: Partial<QuotaOptions>) =>
  new Quota({ what: "things", total: 10, each: 10, queueTime: 60, ...options });

test("SEC-08, ERR-21: what one caller may hold is refused with RATE_LIMITED, others are unharmed", () => {
  const held = quota({ each: 2 });
  const leave = held.take(callOf("ann"));
  held.take(callOf("ann"));
  assert.throws(() => held.take(callOf("ann")), { code: "RATE_LIMITED", retryAfter: 5 });
  held.take(callOf("bob"));
  leave();
  leave();
  assert.equal(held.size, 2);
  held.take(callOf("ann"));
  assert.throws(() => held.take(callOf("ann")), { code: "RATE_LIMITED" });
});

test("SEC-08, ERR-20: what all callers together may hold is refused with UNAVAILABLE", () => {
  const held = quota({ total: 2 });
  const leave = held.take(callOf("ann"));
  held.take(callOf("bob"));
  assert.throws(() => held.take(callOf("eve")), { code: "UNAVAILABLE", retryAfter: 5 });
  leave();
  held.take(callOf("eve"));
});

test("SEC-08: who waits is let in in turn, past those who hold as much as they may", async () => {
  const held = quota({ total: 2, each: 1, queue: 3 });
  const order: string[] = [];
  const enter = async (name: string) => {
    const leave = await held.enter(callOf(name));
    order.push(name);
    return leave;
  };
  const ann = await enter("ann");
  const bob = await enter("bob");
  const again = enter("ann");
  const eve = enter("eve");
  await assert.rejects(async () => held.enter(callOf("ann")), { code: "RATE_LIMITED" });
  assert.equal(held.waiting, 2);
  bob();
  await eve;
  ann();
  (await again)();
  (await eve)();
  assert.deepEqual(order, ["ann", "bob", "eve", "ann"]);
  assert.deepEqual([held.size, held.waiting], [0, 0]);
});

test("SEC-08: beyond the queue nobody waits", async () => {
  const held = quota({ total: 1, queue: 1 });
  const leave = held.take(callOf("ann"));
  const bob = held.enter(callOf("bob"));
  await assert.rejects(async () => held.enter(callOf("eve")), { code: "UNAVAILABLE" });
  leave();
  (await bob)();
});

test("SEC-08: who waits too long is refused, and who goes away waits no longer", async () => {
  const held = quota({ total: 1, queue: 2, queueTime: 0.01 });
  const leave = held.take(callOf("ann"));
  await assert.rejects(async () => held.enter(callOf("bob")), { code: "UNAVAILABLE" });
  const gone = new AbortController();
  const eve = held.enter(callOf("eve", gone.signal));
  gone.abort();
  await assert.rejects(async () => eve, { code: "UNAVAILABLE" });
  await assert.rejects(async () => held.enter(callOf("eve", gone.signal)), { code: "UNAVAILABLE" });
  assert.equal(held.waiting, 0);
  leave();
  assert.equal(held.size, 0);
});

test("ERR-20: who waits is refused when the server stops", async () => {
  const held = quota({ total: 1, queue: 1 });
  held.take(callOf("ann"));
  const bob = held.enter(callOf("bob"));
  held.close();
  await assert.rejects(async () => bob, { code: "UNAVAILABLE" });
  assert.equal(held.waiting, 0);
});

test("callers without an identity are told apart by their address, those of one IPv6 network are one", () => {
  const key = (address: string, id = "") => callerKey({ principal: { id }, address });
  assert.notEqual(key("192.0.2.1"), key("192.0.2.2"));
  assert.equal(key("::ffff:192.0.2.1"), key("192.0.2.1"));
  assert.equal(key("2001:db8::1"), key("2001:0db8:0:0:ffff::2"));
  assert.notEqual(key("2001:db8::1"), key("2001:db8:0:1::1"));
  assert.equal(key("192.0.2.1", "ann"), key("192.0.2.2", "ann"));
  assert.notEqual(key("ann"), key("", "ann"));
  assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
  assert.equal(networkOf(undefined), "");
});

test("SEC-08: thousands who wait for the share of one caller do not slow down others", async () => {
  const held = quota({ total: 3000, each: 1 });
  const leave = held.take(callOf("ann"));
  const waits = Array.from({ length: 2000 }, () => held.awaitPlace(callOf("ann")));
  const begun = performance.now();
  for (let one = 0; one < 1000; one += 1) held.take(callOf("bob"))();
  assert.ok(performance.now() - begun < 5000);
  leave();
  for (const wait of waits) (await wait)();
  assert.deepEqual([held.size, held.waiting], [0, 0]);
});

test("SEC-08: work that was accepted before still waits for a place after the queue was closed", async () => {
  const held = quota({ total: 1, queue: 1 });
  const leave = held.take(callOf("ann"));
  const queued = held.enter(callOf("bob"));
  const stop = new AbortController();
  const [first, second] = [held.awaitPlace(callOf("eve")), held.awaitPlace(callOf("joe", stop.signal))];
  held.close();
  await assert.rejects(async () => queued, { code: "UNAVAILABLE" });
  leave();
  await first;
  stop.abort();
  await assert.rejects(second, { code: "UNAVAILABLE" });
  assert.deepEqual([held.size, held.waiting], [1, 0]);
});
