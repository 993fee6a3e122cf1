import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import type { Scope } from "../../src/stores/task-store.js";
import { changed, created, wrote } from "../task-log/entries.js";
import { Desk, scope } from "./desk.js";
import { Webhook } from "./webhook.js";

/** A store in which a task is made after its log was found missing, and before it is loaded. */
class Quick extends MemoryStore {
  #isMade = false;

  override async load(of: Scope, taskId: string) {
    if (!this.#isMade) {
      this.#isMade = true;
      await this.append(of, taskId, 0, [
        created(),
        wrote({ artifactId: "a" }),
        changed("TASK_STATE_COMPLETED"),
      ]);
    }
    return super.load(of, taskId);
  }
}

test("PUSH-14: a task that is made between two looks of its worker is sent from its first event", async (t) => {
  const webhook = await Webhook.open(t);
  const store = new Quick();
  const desk = new Desk(t, {}, { store });
  const config = { id: "mine", taskId: "task-1", url: webhook.url() };
  const { lease } = desk.push.outbox;
  const registration = { config, version: "1.0", delivered: 0, ended: false, lease, limit: 9, ownerLimit: 9 };
  const record = await store.saveConfig(scope, registration);
  assert.ok(record);
  desk.push.outbox.follow(record);
  await webhook.count(1);
  await webhook.until(() => webhook.generations.at(-1) === 3);
  assert.deepEqual(webhook.generations, [1, 2, 3]);
  assert.deepEqual(
    webhook.arrivals.map(({ event }) => Object.keys(event)),
    [["task"], ["artifactUpdate"], ["statusUpdate"]],
  );
});

test("PUSH-13: a webhook whose task is deleted while it waits for its turn gets nothing more, and the log says so", async (t) => {
  let release = () => {};
  const webhook = await Webhook.open(t, (_arrival, response) => {
    release = () => response.writeHead(204).end();
    return undefined;
  });
  // One request at a time to this address.
  const desk = new Desk(t, { concurrency: 8 }, { store: new MemoryStore({ maxTasks: 2 }) });
  const end = (taskId: string) =>
    desk.write(taskId, created({ id: taskId }), changed("TASK_STATE_COMPLETED", { id: taskId }));
  for (const taskId of ["task-1", "task-2"]) {
    await end(taskId);
    await desk.hook(webhook.url(), { taskId });
  }
  await webhook.count(1);
  // The two tasks that ended first are deleted.
  for (const taskId of ["task-3", "task-4"]) await end(taskId);
  release();
  await desk.logger.told("A task was deleted before its webhook had received its events");
  assert.equal(webhook.arrivals.length, 1);
});

/** A store that cannot be asked at first to keep a log for a reader. */
class Unready extends MemoryStore {
  refusals = 2;

  override hold(of: Scope, taskId: string) {
    if (this.refusals-- > 0) throw new Error("The store is not ready");
    return super.hold(of, taskId);
  }
}

test("a worker whose store throws when it is asked to keep the log asks again, and delivers", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t, {}, { store: new Unready() });
  await desk.write("task-1", created(), changed("TASK_STATE_COMPLETED"));
  await desk.hook(webhook.url());
  await webhook.until(() => webhook.generations.at(-1) === 2);
  assert.deepEqual(webhook.generations, [1, 2]);
  const failures = desk.logger.lines.filter(({ level }) => level === "error");
  assert.deepEqual(
    failures.map(({ facts, text }) => [facts.err.message, text]),
    [1, 2].map(() => ["The store is not ready", "The outbox could not use its store"]),
  );
});
