import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { changed, created, taskId, wrote } from "../task/entries.js";
import type { MakeStore } from "./contract.js";
import { scope } from "./contract-append.js";

/** Long enough to be sure that a wait has not ended, short enough to be waited for. */
const MOMENT = 30;

async function isOpen(wait: Promise<void>): Promise<boolean> {
  return (await Promise.race([wait.then(() => "over"), delay(MOMENT, "open")])) === "open";
}

export function testWait(name: string, makeStore: MakeStore): void {
  test(`a wait ends with the next append, and leaves nothing on the signal [${name}]`, async (t) => {
    const store = await makeStore(t);
    const { signal } = new AbortController();
    await store.append(scope, taskId, 0, [created()]);
    const waits = [1, 1, 1].map((after) => store.wait(scope, taskId, after, signal));
    assert.equal(await isOpen(Promise.race(waits)), true);
    await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
    await Promise.all(waits);
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  });

  test(`a wait for what is there already, for a task that is not, or behind an end, ends at once [${name}]`, async (t) => {
    const store = await makeStore(t);
    const { signal } = new AbortController();
    await store.append(scope, taskId, 0, [created(), changed("TASK_STATE_COMPLETED")]);
    await store.wait(scope, taskId, 0, signal);
    await store.wait(scope, taskId, 1, signal);
    await store.wait(scope, taskId, 2, signal);
    await store.wait(scope, taskId, 3, signal);
    await store.wait(scope, "other", 0, signal);
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  });

  test(`a wait ends when its signal aborts, and at once when it has aborted [${name}]`, async (t) => {
    const store = await makeStore(t);
    const controller = new AbortController();
    const other = new AbortController();
    await store.append(scope, taskId, 0, [created()]);
    const wait = store.wait(scope, taskId, 1, controller.signal);
    const stays = store.wait(scope, taskId, 1, other.signal);
    controller.abort();
    await wait;
    await store.wait(scope, taskId, 1, controller.signal);
    assert.equal(await isOpen(stays), true);
    assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
    other.abort();
    await stays;
  });
}
