import assert from "node:assert/strict";
import { test } from "vitest";
import { Lanes } from "../../src/push/lanes.js";

const forever = new AbortController().signal;

/** Asks for places by host name, and notes who got one, in order. */
function crowd(lanes: Lanes) {
  const inside: string[] = [];
  const leaves = new Map<string, () => void>();
  const enter = async (name: string, signal = forever) => {
    const host = name.replace(/\d+$/, "");
    const leave = await lanes.enter(host, signal);
    if (leave === undefined) return;
    inside.push(name);
    leaves.set(name, leave);
  };
  const leave = (name: string) => leaves.get(name)?.();
  return { inside, enter, leave };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("PUSH-13: a host gets its share of places and no more; others get theirs at once", async () => {
  const { inside, enter, leave } = crowd(new Lanes(4, 2));
  for (const name of ["slow1", "slow2", "slow3", "slow4", "fast1"]) void enter(name);
  await turn();
  assert.deepEqual(inside, ["slow1", "slow2", "fast1"]);
  leave("slow1");
  await turn();
  assert.deepEqual(inside, ["slow1", "slow2", "fast1", "slow3"]);
});

test("PUSH-13: hosts that wait take turns when all places are taken", async () => {
  const { inside, enter, leave } = crowd(new Lanes(1, 1));
  for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void enter(name);
  for (let round = 0; round < 6; round += 1) {
    await turn();
    leave(inside.at(-1) ?? "");
  }
  assert.deepEqual(inside, ["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("whoever is told to stop waiting takes no place, and a place is given back once", async () => {
  const { inside, enter, leave } = crowd(new Lanes(1, 1));
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
  leave("a3");
  await turn();
  assert.deepEqual(inside, ["a1", "a3", "a5"]);
});
