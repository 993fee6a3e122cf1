import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { changed, created, taskId, wrote } from "./entries.js";
import type { Cases } from "./opened-store.js";

/** Long enough to be sure that a wait has not ended, short enough to be waited for. */
const MOMENT = 30;

async function isOpen(wait: Promise<void>): Promise<boolean> {
  return (await Promise.race([wait.then(() => "over"), delay(MOMENT, "open")])) === "open";
}

/** Waits end when they should, and not before. */
export const waitCases: Cases = {
  "a wait ends with the next append, and leaves nothing on the signal": async ({ store, scope }) => {
    const { signal } = new AbortController();
    await store.append(scope, taskId, 0, [created()]);
    const waits = [1, 1, 1].map((after) => store.wait(scope, taskId, after, signal));
    assert.equal(await isOpen(Promise.race(waits)), true);
    await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
    await Promise.all(waits);
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  },

  "a wait for what is there already, for a task that is not, or behind an end, ends at once": async ({
    store,
    scope,
  }) => {
    const { signal } = new AbortController();
    await store.append(scope, taskId, 0, [created(), changed("TASK_STATE_COMPLETED")]);
    await store.wait(scope, taskId, 0, signal);
    await store.wait(scope, taskId, 1, signal);
    await store.wait(scope, taskId, 2, signal);
    await store.wait(scope, taskId, 3, signal);
    await store.wait(scope, "other", 0, signal);
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  },

  "a wait ends when its signal aborts, and at once when it has aborted": async ({ store, scope }) => {
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
  },
};
