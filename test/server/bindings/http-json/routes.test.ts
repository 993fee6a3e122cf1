import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { operations } from "../../../../src/protocol/operations.js";
import { findPlace } from "../../../../src/server/bindings/http-json/routes.js";
import { codec } from "../../../../src/versions/v1.0/codec.js";

/** Operations by verb at a path, and the values of the path. */
function at(path: string) {
  const place = findPlace(path, codec);
  if (place === undefined) return undefined;
  const verbs = [...place.verbs].map(([verb, { operation }]) => `${verb} ${operation.name}`).join(", ");
  const variables = Object.entries(place.variables).map(([name, value]) => `${name}=${value}`);
  return [verbs, ...variables].join(" | ");
}

const configs = "POST CreateTaskPushNotificationConfig, GET ListTaskPushNotificationConfigs";
const config = "GET GetTaskPushNotificationConfig, DELETE DeleteTaskPushNotificationConfig";

const table: [ids: string, path: string, expected: string | undefined][] = [
  ["REST-01", "/message:send", "POST SendMessage"],
  ["REST-01", "/message:stream", "POST SendStreamingMessage"],
  ["REST-01", "/tasks", "GET ListTasks"],
  ["REST-01", "/tasks/t1", "GET GetTask | id=t1"],
  ["REST-01", "/tasks/t1:cancel", "POST CancelTask | id=t1"],
  ["REST-03", "/tasks/t1:subscribe", "POST SubscribeToTask, GET SubscribeToTask | id=t1"],
  ["REST-01", "/tasks/t1/pushNotificationConfigs", `${configs} | taskId=t1`],
  ["REST-01", "/tasks/t1/pushNotificationConfigs/p1", `${config} | taskId=t1 | id=p1`],
  ["REST-01", "/extendedAgentCard", "GET GetExtendedAgentCard"],
  ["REST-02", "/acme/message:send", "POST SendMessage | tenant=acme"],
  ["REST-02", "/acme/message:stream", "POST SendStreamingMessage | tenant=acme"],
  ["REST-02", "/acme/tasks", "GET ListTasks | tenant=acme"],
  ["REST-02", "/acme/tasks/t1", "GET GetTask | tenant=acme | id=t1"],
  ["REST-02", "/acme/tasks/t1:cancel", "POST CancelTask | tenant=acme | id=t1"],
  ["REST-02", "/acme/tasks/t1:subscribe", "POST SubscribeToTask, GET SubscribeToTask | tenant=acme | id=t1"],
  ["REST-02", "/acme/tasks/t1/pushNotificationConfigs", `${configs} | tenant=acme | taskId=t1`],
  ["REST-02", "/acme/tasks/t1/pushNotificationConfigs/p1", `${config} | tenant=acme | taskId=t1 | id=p1`],
  ["REST-02", "/acme/extendedAgentCard", "GET GetExtendedAgentCard | tenant=acme"],
  ["REST-07", "/tasks/a:b:cancel", "POST CancelTask | id=a:b"],
  ["REST-07", "/tasks/a:cancel:subscribe", "POST SubscribeToTask, GET SubscribeToTask | id=a:cancel"],
  ["REST-07", "/tasks/a:b", "GET GetTask | id=a:b"],
  ["REST-07", "/tasks/a%3Acancel", "GET GetTask | id=a%3Acancel"],
  ["REST-07", "/tasks/a:Cancel", "GET GetTask | id=a:Cancel"],
  ["REST-07", "/tasks/a:cancel/pushNotificationConfigs", `${configs} | taskId=a:cancel`],
  ["REST-06", "/tasks/a%2Fb", "GET GetTask | id=a%2Fb"],
  ["REST-10", "/tasks/tasks", "GET GetTask | id=tasks"],
  ["REST-10", "/tasks/message:send", "GET GetTask | id=message:send"],
  ["REST-10", "/tasks/tasks/t1", undefined],
  ["REST-10", "/message:send/tasks", undefined],
  ["REST-10", "/message:stream/tasks", undefined],
  ["REST-10", "/extendedAgentCard/tasks", undefined],
  ["REST-10", "/v1/tasks", "GET ListTasks | tenant=v1"],
  ["OP-GET-05", "/tasks/", "GET GetTask | id="],
  ["OP-GET-05", "/tasks/:cancel", "POST CancelTask | id="],
  ["REST-09", "/", undefined],
  ["REST-09", "", undefined],
  ["REST-09", "//tasks", undefined],
  ["REST-09", "/message", undefined],
  ["REST-09", "/message:dance", undefined],
  ["REST-09", "/Tasks", undefined],
  ["REST-09", "/a/b/tasks", undefined],
  ["REST-09", "/tasks/t1/pushNotificationConfigs/p1/x", undefined],
  ["REST-09", "/constructor", undefined],
];

for (const [ids, path, expected] of table) {
  test(`${ids}: ${path || "(empty)"} is ${expected ?? "no route"}`, () => assert.equal(at(path), expected));
}

test("REST-01, REST-02: every route of the operations table is found", () => {
  for (const { http, name } of operations) {
    for (const { verb, path } of http) {
      assert.equal(
        findPlace(path.replace(/\{(\w+)\}/g, "x"), codec)?.verbs.get(verb)?.operation.name,
        name,
        `${verb} ${path}`,
      );
    }
  }
});

test("REST-06, REST-07: any identifier survives the path of an action", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (id) => {
      const place = findPlace(`/tasks/${encodeURIComponent(id)}:cancel`, codec);
      assert.equal(decodeURIComponent(place?.variables.id ?? ""), id);
      assert.equal(place?.verbs.get("POST")?.operation.name, "CancelTask");
    }),
  );
});
