import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { test } from "vitest";
import { DeliveryQueue, type DeliveryTurn, type QueuedRequest } from "../../src/push/delivery-queue.js";
import { ManualClock } from "../../src/testing/manual-clock.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const forever = new AbortController().signal;
setMaxListeners(0, forever);

/** Sends a request in its turn, and in another one if it was too slow for the first. */
async function deliver(
  queue: DeliveryQueue,
  request: QueuedRequest,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<string>,
): Promise<string | undefined> {
  while (!signal.aborted) {
    const turn = await new Promise<DeliveryTurn | undefined>((resolve) => {
      const giveUp = queue.enqueue(request, resolve);
      signal.addEventListener("abort", () => {
        giveUp();
        resolve(undefined);
      });
    });
    const outcome = await turn?.send(signal, send);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

/** Receivers that answer when the test says so. */
function stage(concurrency: number) {
  const clock = new ManualClock();
  const queue = new DeliveryQueue({ concurrency, maxBytes: 2 ** 20 }, clock);
  const sent: string[] = [];
  const aborted: string[] = [];
  const answers = new Map<string, () => void>();
  let underWay = 0;
  let most = 0;
  const send = (name: string, more: Partial<QueuedRequest> = {}) => {
    const request = {
      owner: "ann",
      address: name,
      origin: `http://${name}`,
      bytes: 0,
      isFailing: false,
      ...more,
    };
    return deliver(queue, request, forever, (signal) => {
      sent.push(name);
      underWay += 1;
      most = Math.max(most, underWay);
      return new Promise<string>((resolve) => {
        const end = (outcome: string) => {
          underWay -= 1;
          resolve(outcome);
        };
        answers.set(name, () => end("answered"));
        signal.addEventListener("abort", () => {
          aborted.push(name);
          end("aborted");
        });
      });
    });
  };
  const answer = async (name: string) => {
    answers.get(name)?.();
    await turn();
  };
  return { clock, queue, send, answer, sent, aborted, most: () => most };
}

test("PUSH-13: a request that is slow leaves the fast queue after a second, and goes on while the slow one has a place", async () => {
  const { clock, send, answer, sent, aborted } = stage(2);
  const slow = send("slow");
  void send("other");
  await turn();
  assert.deepEqual(sent, ["slow"]);
  clock.advance(999);
  await turn();
  assert.deepEqual(sent, ["slow"]);
  clock.advance(1);
  await turn();
  assert.deepEqual(sent, ["slow", "other"]);
  await answer("slow");
  assert.equal(await slow, "answered");
  assert.deepEqual(aborted, []);
});

test("PUSH-13: when there is no place for slow ones, a slow request is aborted and sent again in its turn", async () => {
  const { clock, send, answer, sent, aborted, most } = stage(2);
  const first = send("slow-1");
  const second = send("slow-2");
  void send("other");
  await turn();
  clock.advance(1000);
  await turn();
  assert.deepEqual(sent, ["slow-1", "slow-2"]);
  clock.advance(1000);
  await turn();
  assert.deepEqual([sent, aborted], [["slow-1", "slow-2", "other"], ["slow-2"]]);
  await answer("other");
  await answer("slow-1");
  assert.equal(await first, "answered");
  assert.deepEqual(sent.slice(3), ["slow-2"]);
  clock.advance(60_000);
  await answer("slow-2");
  assert.equal(await second, "answered");
  assert.deepEqual(aborted, ["slow-2"]);
  assert.equal(most(), 2);
});

test("PUSH-13: a receiver that was slow, or that fails, takes no fast place; one that is fast again does", async () => {
  const { clock, send, answer, sent } = stage(2);
  void send("receiver");
  await turn();
  clock.advance(1000);
  await answer("receiver");
  // Both go to the slow queue, which has one place.
  void send("receiver");
  void send("failing", { isFailing: true });
  void send("other");
  await turn();
  assert.deepEqual(sent, ["receiver", "receiver", "other"]);
  await answer("receiver");
  await answer("failing");
  await answer("other");
  assert.deepEqual(sent.slice(3), ["failing"]);
  // The last answer came at once.
  void send("failing", { isFailing: true });
  void send("receiver");
  await turn();
  assert.deepEqual(sent.slice(4), ["failing", "receiver"]);
});

test("PUSH-13: a receiver that was slow still counts as slow after a request that was aborted early", async () => {
  const { clock, queue, send, answer, sent } = stage(2);
  void send("receiver");
  await turn();
  clock.advance(1000);
  await answer("receiver");
  const slow = { owner: "ann", address: "receiver", origin: "http://receiver", bytes: 0, isFailing: false };
  await queue.tryTurn(slow)?.send(AbortSignal.abort(), async () => "aborted");
  // Both go to the slow queue, which has one place.
  void send("receiver");
  void send("failing", { isFailing: true });
  await turn();
  assert.deepEqual(sent, ["receiver", "receiver"]);
});

test("PUSH-13: what one owner has learned of a receiver does not slow another owner down", async () => {
  const { clock, send, answer, sent } = stage(2);
  void send("receiver");
  await turn();
  clock.advance(1000);
  await answer("receiver");
  void send("failing", { isFailing: true });
  void send("receiver", { owner: "bob" });
  await turn();
  assert.deepEqual(sent.slice(1), ["failing", "receiver"]);
});

test("a request that is told to stop is not sent, or ends, in both queues", async () => {
  const clock = new ManualClock();
  const queue = new DeliveryQueue({ concurrency: 2, maxBytes: 2 ** 20 }, clock);
  for (const isFailing of [false, true]) {
    const request = { owner: "ann", address: "a", origin: "http://a", bytes: 0, isFailing };
    const controller = new AbortController();
    const first = deliver(queue, request, controller.signal, async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "ended";
    });
    const waiting = deliver(queue, request, controller.signal, async () => "sent");
    await turn();
    controller.abort();
    assert.deepEqual(await Promise.all([first, waiting]), ["ended", undefined]);
  }
  assert.equal(clock.timers, 0);
});

test("PUSH-13: a request that has to wait gets no turn now, in neither queue", async () => {
  const queue = new DeliveryQueue({ concurrency: 2, maxBytes: 2 ** 20 }, new ManualClock());
  for (const isFailing of [false, true]) {
    const request = { owner: "ann", address: "a", origin: "http://a", bytes: 0, isFailing };
    const first = queue.tryTurn(request);
    assert.ok(first);
    assert.equal(queue.tryTurn(request), undefined);
    first.leave();
    const second = queue.tryTurn(request);
    assert.equal(await second?.send(forever, async () => "sent"), "sent");
    second?.leave();
    queue.tryTurn(request)?.leave();
  }
});

test("a turn of a request that was told to stop meanwhile aborts it", async () => {
  const queue = new DeliveryQueue({ concurrency: 2, maxBytes: 2 ** 20 }, new ManualClock());
  const request = { owner: "ann", address: "a", origin: "http://a", bytes: 0, isFailing: false };
  const isAborted = await queue.tryTurn(request)?.send(AbortSignal.abort(), async (signal) => signal.aborted);
  assert.equal(isAborted, true);
});
