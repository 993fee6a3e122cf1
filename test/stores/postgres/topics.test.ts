import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import type pg from "pg";
import { test } from "vitest";
import type { PostgresDatabase } from "../../../src/stores/postgres/database.js";
import { ListenNotify } from "../../../src/stores/postgres/listen-notify.js";
import { topicOf } from "../../../src/stores/postgres/topic.js";
import { scope } from "../scope.js";

/** PostgreSQL refuses a message of this many bytes. */
const LIMIT = 8000;

test("a topic has enough bits to be the key of a task, and no space", () => {
  const topic = topicOf(scope, "task-1");
  assert.match(topic, /^[\w-]+$/);
  assert.ok(6 * topic.length >= 128, `${topic.length} characters`);
  assert.equal(topicOf({ ...scope }, "task-1"), topic);
  assert.notEqual(topicOf({ ...scope, owner: "other" }, "task-1"), topic);
  assert.notEqual(topicOf(scope, "\ud800"), topicOf(scope, "\ud801"));
});

test("topics that are sent together share messages that PostgreSQL accepts", async () => {
  const payloads: string[] = [];
  const stream = { destroy: () => undefined };
  const client = Object.assign(new EventEmitter(), {
    connection: { stream },
    connect: async () => undefined,
    end: async () => undefined,
    query: async (_sql: string, values?: readonly string[]) =>
      void (values && payloads.push(values[1] ?? "")),
  });
  const database = {
    limit: 10_000,
    client: () => client as unknown as pg.Client,
    retryOpening: <Result>(run: () => Promise<Result>) => run(),
  };
  const wakeUps = new ListenNotify(database as unknown as PostgresDatabase);
  await wakeUps.open(
    () => undefined,
    () => undefined,
  );
  const topics = Array.from({ length: 1000 }, (_, n) => topicOf(scope, `task-${n}`));
  wakeUps.send(topics);
  await wakeUps.close();
  assert.deepEqual(payloads.flatMap((payload) => payload.split(" ").slice(1)).sort(), [...topics].sort());
  for (const payload of payloads) assert.ok(payload.length < LIMIT, `${payload.length} bytes`);
  assert.ok(payloads.length < 5, `${payloads.length} messages`);
});

test("a store that closes while its wake-ups are reconnected ends the connection that is being opened", async () => {
  const opened: EventEmitter[] = [];
  const reconnecting = new EventEmitter();
  const client = () => {
    let refuse: (error: Error) => void = () => undefined;
    const one = Object.assign(new EventEmitter(), {
      connection: { stream: { destroy: () => refuse(new Error("destroyed")) } },
      connect: () => {
        opened.push(one);
        if (opened.length === 1) return Promise.resolve();
        reconnecting.emit("begun");
        return new Promise<void>((_, reject) => {
          refuse = (error) => {
            reject(error);
            reconnecting.emit("ended");
          };
        });
      },
      end: async () => undefined,
      query: async () => undefined,
    });
    return one as unknown as pg.Client;
  };
  const retryOpening = <Result>(run: () => Promise<Result>) => run();
  // The listener uses these members only.
  const wakeUps = new ListenNotify({ limit: 10_000, client, retryOpening } as unknown as PostgresDatabase);
  await wakeUps.open(
    () => undefined,
    () => undefined,
  );
  const begun = once(reconnecting, "begun");
  opened[0]?.emit("end");
  await begun;
  const ended = once(reconnecting, "ended");
  await wakeUps.close();
  await ended;
  assert.equal(opened.length, 2);
});
