import assert from "node:assert/strict";
import { test } from "vitest";
import { cardOf, clientOf, json, origin, type Seen } from "./scripted.js";

const bindings = ["JSONRPC", "HTTP+JSON"] as const;
type Binding = (typeof bindings)[number];

/** A client of an agent of a version that answers every call with the same, over one binding. */
async function answered(answer: (request: Seen) => Response, binding: Binding, version = "0.3") {
  const card = cardOf({
    supportedInterfaces: [
      {
        url: `${origin}/a2a`,
        protocolBinding: binding,
        protocolVersion: version === "0.3" ? "0.3.0" : version,
      },
    ],
  });
  return (await clientOf(answer, { card })).client;
}

const target = { taskId: "t", id: "c" };
const empty = () => new Response(undefined, { status: 204 });
const bare = (more: object) => (request: Seen) => json({ jsonrpc: "2.0", id: request.json?.id, ...more });

for (const [binding, name, answer] of [
  ["JSONRPC", "neither result nor error", bare({})],
  ["JSONRPC", "an error of null", bare({ error: null })],
  ["JSONRPC", "a result of null", bare({ result: null })],
  ["JSONRPC", "no body", empty],
  ["HTTP+JSON", "no body", empty],
  ["HTTP+JSON", "an empty object", () => json({})],
  ["HTTP+JSON", "null", () => json(null)],
] as const) {
  for (const version of ["0.3", "1.0"])
    test(`OP-PUSH-21: a delete may be confirmed with ${name} [${version} ${binding}]`, async () => {
      const client = await answered(answer, binding, version);
      assert.equal(await client.deleteTaskPushNotificationConfig(target), null);
    });
}

test("RPC-21: an answer to anything else has a result or an error", async () => {
  const client = await answered(bare({}), "JSONRPC");
  await assert.rejects(client.getTask({ id: "t" }), {
    code: "INVALID_RESPONSE",
    expected: "result or error",
    received: "neither",
  });
});

const task = { kind: "task", id: "t", contextId: "c", status: { state: "working" } };
const config = { taskId: "t", pushNotificationConfig: { id: "c", url: "https://hook.example/" } };
const over = (binding: Binding, value: unknown) => (request: Seen) =>
  binding === "JSONRPC" ? bare({ result: value })(request) : json(value);

for (const binding of bindings) {
  test(`a list of webhooks of 0.3 is read bare or as a member, and an empty one [${binding}]`, async () => {
    for (const [value, count] of [
      [[config], 1],
      [{ configs: [config] }, 1],
      [{ configs: [], nextPageToken: "" }, 0],
      [{}, 0],
    ] as const) {
      const client = await answered(over(binding, value), binding);
      const { configs = [] } = await client.listTaskPushNotificationConfigs({ taskId: "t" });
      assert.equal(configs.length, count, JSON.stringify(value));
    }
  });

  test(`a list of webhooks of 0.3 in another shape is refused with what was expected and what came [${binding}]`, async () => {
    for (const [value, received] of [
      [{ items: [config] }, "an object"],
      [{ configs: 1 }, "an object"],
      ["no", "other text"],
      [7, "a number"],
    ] as const) {
      const client = await answered(over(binding, value), binding);
      await assert.rejects(client.listTaskPushNotificationConfigs({ taskId: "t" }), {
        code: "INVALID_RESPONSE",
        expected: 'must be a list, or an object with the list as "configs"',
        received,
      });
    }
  });
}

for (const [version, binding] of [
  ["0.3", "HTTP+JSON"],
  ["0.1-flat", "JSONRPC"],
] as const) {
  test(`a list of tasks is read bare or as a member, and an empty one [${version} ${binding}]`, async () => {
    for (const [value, ids] of [
      [[task], ["t"]],
      [{ tasks: [task] }, ["t"]],
      [{ tasks: [] }, []],
      [[], []],
    ] as const) {
      const client = await answered(over(binding, value), binding, version);
      const { tasks } = await client.listTasks({});
      assert.deepEqual(
        tasks.map(({ id }) => id),
        ids,
      );
    }
  });

  test(`a list of tasks in another shape is refused with what was expected and what came [${version} ${binding}]`, async () => {
    for (const [value, received] of [
      [{ items: [] }, "an object"],
      [{ tasks: {} }, "an object"],
      [{}, "an object"],
      ["no", "other text"],
    ] as const) {
      const client = await answered(over(binding, value), binding, version);
      await assert.rejects(client.listTasks({}), {
        code: "INVALID_RESPONSE",
        expected: 'must be a list, or an object with the list as "tasks"',
        received,
      });
    }
  });
}

for (const version of ["0.3", "0.1", "0.1-flat"]) {
  test(`the error for an event that is not wrapped says what came in the place of a member [${version}]`, async () => {
    const client = await answered(over("JSONRPC", { ...task, metadata: 7 }), "JSONRPC", version);
    await assert.rejects(client.sendText("x"), {
      code: "INVALID_RESPONSE",
      field: "task.metadata",
      received: "a number",
    });
  });
}

test("the error for a bare list of tasks says what came in the place of a member", async () => {
  const client = await answered(over("HTTP+JSON", [{ ...task, metadata: 7 }]), "HTTP+JSON");
  await assert.rejects(client.listTasks({}), { field: "tasks[0].metadata", received: "a number" });
});
