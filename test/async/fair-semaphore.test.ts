import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { test } from "vitest";
import { FairSemaphore, type Release } from "../../src/async/fair-semaphore.js";
import { type Destination, PerAddressSemaphore } from "../../src/push/per-address-semaphore.js";

const forever = new AbortController().signal;
setMaxListeners(0, forever);
const turn = () => new Promise((resolve) => setImmediate(resolve));

type Acquire = (owner: string, signal: AbortSignal) => Promise<(() => void) | undefined>;

/** Asks for permits by name, `a1` and `a2` for owner `a`, and notes who got one, in order. */
function crowd(acquire: Acquire) {
  const inside: string[] = [];
  const releases = new Map<string, () => void>();
  const enter = async (name: string, signal = forever) => {
    const release = await acquire(name.replace(/\d+$/, ""), signal);
    if (release === undefined) return;
    inside.push(name);
    releases.set(name, release);
  };
  return { inside, enter, leave: (name: string) => releases.get(name)?.() };
}

function crowdAt(permits: number) {
  const semaphore = new FairSemaphore(permits);
  return { semaphore, ...crowd((owner, signal) => semaphore.acquire(owner, signal)) };
}

test("PUSH-13: one owner leaves the last quarter of the permits to owners that hold none", async () => {
  const { inside, enter, leave } = crowdAt(8);
  for (let one = 1; one <= 10; one += 1) void enter(`a${one}`);
  await turn();
  assert.deepEqual(inside.length, 6);
  for (const name of ["b1", "c1", "b2", "d1"]) void enter(name);
  await turn();
  assert.deepEqual(inside.slice(6), ["b1", "c1"]);
  leave("a1");
  await turn();
  assert.deepEqual(inside.slice(8), ["d1"]);
});

test("PUSH-13: owners that wait take turns, however many requests each of them has", async () => {
  const { inside, enter, leave } = crowdAt(1);
  for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void enter(name);
  for (let round = 0; round < 6; round += 1) {
    await turn();
    leave(inside.at(-1) ?? "");
  }
  assert.deepEqual(inside, ["a1", "a2", "b1", "c1", "a3", "b2"]);
});

test("a permit that nobody could use is given when an owner may use it", async () => {
  const { inside, enter, leave } = crowdAt(4);
  for (const name of ["a1", "a2", "a3", "a4", "b1"]) void enter(name);
  await turn();
  assert.deepEqual(inside, ["a1", "a2", "a3", "b1"]);
  for (const name of ["a1", "a2", "a3"]) leave(name);
  await turn();
  assert.deepEqual(inside.slice(4), ["a4"]);
});

test("who is told to stop waiting gets no permit, and a permit is given back once", async () => {
  const { semaphore, inside, enter, leave } = crowdAt(1);
  const controller = new AbortController();
  void enter("a1");
  const given = enter("a2", controller.signal);
  void enter("a3");
  await turn();
  controller.abort();
  await given;
  await enter("a4", controller.signal);
  leave("a1");
  leave("a1");
  void enter("a5");
  await turn();
  assert.deepEqual(inside, ["a1", "a3"]);
  assert.equal(semaphore.tryAcquire("b"), undefined);
  leave("a3");
  await turn();
  leave("a5");
  assert.equal(semaphore.isIdle, true);
});

/** The permit of a request, once there is one. */
function admitted(semaphore: PerAddressSemaphore, destination: Destination): Promise<Release> {
  return new Promise((resolve) => semaphore.enqueue(destination, resolve));
}

test("PUSH-13: an address gets its part of the permits, and who waits for it holds none that others could use", async () => {
  const semaphore = new PerAddressSemaphore({ requests: 8, perAddress: 2, bytes: 1 });
  // The owner is the letter; the address is given here.
  const at = (address: string) => crowd((owner) => admitted(semaphore, { owner, address, bytes: 0 }));
  const [slow, fast] = [at("192.0.2.1"), at("192.0.2.2")];
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"]) void slow.enter(name);
  for (const name of ["a1", "b1"]) void fast.enter(name);
  await turn();
  assert.deepEqual(
    [slow.inside, fast.inside],
    [
      ["a1", "a2"],
      ["a1", "b1"],
    ],
  );
  slow.leave("a1");
  await turn();
  assert.deepEqual(slow.inside, ["a1", "a2", "a3"]);
  assert.equal(semaphore.tryAcquire({ owner: "c", address: "192.0.2.1", bytes: 0 }), undefined);
  const release = semaphore.tryAcquire({ owner: "c", address: "192.0.2.3", bytes: 0 });
  assert.ok(release);
  release();
});

test("PUSH-13: permits of different weight are exceeded by less than one request, and an owner leaves a quarter to others", async () => {
  const semaphore = new FairSemaphore(8);
  const first = semaphore.tryAcquire("a", 7);
  assert.ok(first);
  assert.equal(semaphore.tryAcquire("a", 1), undefined);
  const second = semaphore.tryAcquire("b", 100);
  assert.ok(second);
  assert.equal(semaphore.used, 107);
  assert.equal(semaphore.tryAcquire("c", 1), undefined);
  const third = semaphore.acquire("c", forever, 6);
  const fourth = semaphore.acquire("c", forever, 1);
  second();
  (await third)?.();
  assert.equal(semaphore.used, 8);
  first();
  (await fourth)?.();
  assert.equal(semaphore.isIdle, true);
});

test("PUSH-13: large events wait for large ones, small events for none of them", async () => {
  const semaphore = new PerAddressSemaphore({ requests: 8, perAddress: 8, bytes: 2 ** 20 });
  const at = (owner: string, bytes: number) => ({ owner, address: "192.0.2.1", bytes });
  const large = semaphore.tryAcquire(at("a", 2 ** 20));
  assert.ok(large);
  assert.equal(semaphore.bytes, 2 ** 20);
  assert.equal(semaphore.tryAcquire(at("b", 2 ** 15)), undefined);
  const waiting = admitted(semaphore, at("b", 2 ** 15));
  assert.ok(semaphore.tryAcquire(at("b", 2 ** 14)));
  large();
  assert.ok(await waiting);
  assert.equal(semaphore.bytes, 2 ** 15);
});

/** Acquires permits of these weights for one owner of a semaphore without a reserve; notes who got some, in order. */
function oneOwner(permits: number, ...weights: number[]) {
  const semaphore = new FairSemaphore(permits, 0);
  const admitted: number[] = [];
  const releases = weights.map(async (weight, index) => {
    const release = await semaphore.acquire("", undefined, weight);
    admitted.push(index);
    return release;
  });
  const release = async (index: number) => {
    (await releases[index])?.();
    await turn();
  };
  return { admitted, release };
}

test("without a reserve one owner gets all permits, and its requests are served in their order", async () => {
  const { admitted, release } = oneOwner(10, 4, 4, 4, 1);
  await turn();
  // The last one would fit, but does not pass the one before it.
  assert.deepEqual(admitted, [0, 1]);
  await release(0);
  assert.deepEqual(admitted, [0, 1, 2, 3]);
});

test("a request for more permits than there are is served alone", async () => {
  const { admitted, release } = oneOwner(10, 1, 50, 1);
  await turn();
  assert.deepEqual(admitted, [0]);
  await release(0);
  assert.deepEqual(admitted, [0, 1]);
  await release(1);
  assert.deepEqual(admitted, [0, 1, 2]);
});

test("when a large request stops waiting, a smaller one of its owner that waits after it is served", async () => {
  const semaphore = new FairSemaphore(10, 0);
  const controller = new AbortController();
  assert.ok(semaphore.tryAcquire("a", 8));
  const large = semaphore.acquire("a", controller.signal, 5);
  const small = semaphore.acquire("a", undefined, 2);
  assert.equal(semaphore.tryAcquire("a", 1), undefined);
  controller.abort();
  assert.equal(await large, undefined);
  assert.ok(await small);
  assert.equal(semaphore.used, 10);
});

test("many requests that release at once what they get are admitted one after the other, not one within the other", () => {
  const semaphore = new FairSemaphore(1, 0);
  const first = semaphore.tryAcquire("a");
  let admitted = 0;
  for (let count = 0; count < 100_000; count++) {
    semaphore.enqueue("a", 1, (release) => {
      admitted += 1;
      release();
    });
  }
  assert.equal(admitted, 0);
  first?.();
  assert.equal(admitted, 100_000);
  assert.equal(semaphore.isIdle, true);
});

test("PUSH-13: a request that gives up releases what it held while it waited for the rest", async () => {
  const one = { owner: "a", address: "192.0.2.1", bytes: 2 ** 15 };
  const limits = { requests: 2, perAddress: 2, bytes: 2 ** 20 };
  // The limit that has no room left: address, bytes, requests.
  for (const bounds of [
    { ...limits, perAddress: 1 },
    { ...limits, bytes: 2 ** 15 },
    { ...limits, requests: 1 },
  ]) {
    const semaphore = new PerAddressSemaphore(bounds);
    const release = semaphore.tryAcquire(one);
    assert.ok(release, JSON.stringify(bounds));
    const giveUp = semaphore.enqueue({ ...one, owner: "b" }, () => assert.fail("it gave up"));
    giveUp();
    release();
    const next = await admitted(semaphore, { ...one, owner: "c" });
    assert.equal(semaphore.tryAcquire(one), undefined, JSON.stringify(bounds));
    // It has its permit, so this has no effect.
    giveUp();
    next();
    assert.equal(semaphore.bytes, 0);
    assert.ok(semaphore.tryAcquire(one), JSON.stringify(bounds));
  }
});
