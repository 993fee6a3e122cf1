import assert from "node:assert/strict";
import { test } from "vitest";
import { loadCallCodec } from "../../src/versions/client-codecs.js";

/** An object that cannot be copied, as if it had more members than a process has time for. */
const uncopied = (members: object): object =>
  new Proxy(members, {
    ownKeys: () => {
      throw new Error("The members were copied");
    },
  });

const part = { text: "done" };
const task = { id: "t", contextId: "c", status: { state: "working" } };

const events: readonly (readonly [version: string, name: string, event: object, kind: string])[] = [
  ["0.3", "a task", { kind: "task", ...task }, "task"],
  ["0.3", "a wrapped task", { task: uncopied(task) }, "task"],
  ["0.3", "a wrapped message", { msg: { messageId: "m", role: "agent", parts: [part] } }, "message"],
  ["0.1", "a task", { id: "t", status: task.status, artifacts: [] }, "task"],
  ["0.1", "a status update", { id: "t", status: task.status }, "statusUpdate"],
  [
    "0.1",
    "an artifact update",
    { id: "t", artifact: uncopied({ index: 0, parts: [part] }) },
    "artifactUpdate",
  ],
];

for (const [version, name, event, kind] of events) {
  test(`SEC-08: ${name} of ${version} is read without a copy of its members`, async () => {
    const { decodeEvent } = await loadCallCodec(version);
    assert.deepEqual(Object.keys((await decodeEvent(uncopied(event))) ?? {}), [kind]);
  });
}
