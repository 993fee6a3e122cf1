import assert from "node:assert/strict";
import { test } from "vitest";
import { RemoteFeed } from "../../src/stores/sql/remote-feed.js";
import { CachedTask, TaskCache } from "../../src/stores/sql/task-cache.js";
import type { StoredEntry } from "../../src/stores/task-store.js";
import type { LogListener } from "../../src/task-log/log-feed.js";
import { changed, created, taskId } from "../task-log/entries.js";
import { scope } from "./scope.js";

const entry = (generation: number): StoredEntry => ({
  ...(generation === 1 ? created() : changed("TASK_STATE_WORKING")),
  generation,
});

/** A feed of a cache that holds the first entries of a log. */
function feedUpTo(last: number) {
  const task = new CachedTask(1);
  const cache = new TaskCache(2 ** 20);
  const feed = new RemoteFeed({ cache, keyOf: () => "key", followed: () => undefined });
  const load = (until: number) => {
    for (let next = task.generation + 1; next <= until; next += 1) task.apply([entry(next)], [1]);
    cache.put("key", task);
  };
  load(last);
  return { feed, cache, load };
}

/** A listener that records its calls. */
function recorder() {
  const calls: (string | readonly number[])[] = [];
  const listener: LogListener = {
    appended: (entries) => calls.push(entries.map(({ generation }) => generation)),
    changed: () => calls.push("changed"),
  };
  return { calls, listener };
}

test("readers are told to read what another process has appended when a later reader finds it in the cache", () => {
  const { feed, load } = feedUpTo(2);
  const [first, second] = [recorder(), recorder()];
  assert.equal(feed.watch(scope, taskId, first.listener), 2);
  load(3);
  assert.equal(feed.watch(scope, taskId, second.listener), 3);
  assert.deepEqual([first.calls, second.calls], [["changed"], []]);
});

test("an append whose response comes after that of a later one does not hide the later one", () => {
  const { feed } = feedUpTo(2);
  const { calls, listener } = recorder();
  feed.watch(scope, taskId, listener);
  feed.appended("key", [entry(4)]);
  feed.appended("key", [entry(3)]);
  assert.deepEqual(calls, [[4], "changed"]);
  feed.changed("key", 6);
  feed.appended("key", [entry(5)]);
  feed.appended("key", [entry(7)]);
  assert.deepEqual(calls.slice(2), ["changed", "changed", [7]]);
});

test("a reader does not follow a log whose end the cache does not know", () => {
  const { feed, cache } = feedUpTo(2);
  feed.watch(scope, taskId, recorder().listener);
  feed.changed("key", 3);
  assert.equal(feed.watch(scope, taskId, recorder().listener), undefined);
  cache.drop("key");
  assert.equal(feed.watch(scope, taskId, recorder().listener), undefined);
});

test("a closed feed tells its readers to read, and has no further ones", () => {
  const { feed } = feedUpTo(2);
  const { calls, listener } = recorder();
  feed.watch(scope, taskId, listener);
  feed.close();
  assert.deepEqual(calls, ["changed"]);
  assert.equal(feed.watch(scope, taskId, listener), undefined);
});
