import assert from "node:assert/strict";
import { toBinary } from "@bufbuild/protobuf";
import { test } from "vitest";
import { loadService, messageOf } from "../../../src/grpc/service.js";
import { A2AError } from "../../../src/index.js";
import { codec } from "../../../src/versions/v0.3/codec.js";
import { readingNames, service, withName } from "../../../src/versions/v0.3/grpc.js";

const echo = readingNames((_, value) => value as never);

test("G-15: names of resources are read as ids, and written again", () => {
  const cases: [
    operation: "GetTask" | "GetTaskPushNotificationConfig",
    name: string,
    task: string,
    config?: string,
  ][] = [
    ["GetTask", "tasks/t-1", "t-1"],
    ["GetTaskPushNotificationConfig", "tasks/t/pushNotificationConfigs/c/1", "t"],
    ["GetTaskPushNotificationConfig", "tasks/t/pushNotificationConfigs/c", "t", "c"],
    ["GetTaskPushNotificationConfig", "tasks/t", "t"],
  ];
  for (const [operation, name, task, config] of cases) {
    if (name.endsWith("/1")) {
      assert.throws(() => echo(operation, { name }), A2AError);
      continue;
    }
    const ids = config === undefined ? { task } : { task, pushNotificationConfigId: config };
    assert.deepEqual(echo(operation, { name, historyLength: 2 }), { historyLength: 2, ...ids });
    assert.deepEqual(withName(operation, { ...ids, id: task, task: undefined }), { name, task: undefined });
  }
  assert.deepEqual(echo("CreateTaskPushNotificationConfig", { parent: "tasks/t", configId: "c" }), {
    configId: "c",
    task: "t",
  });
});

test("G-15: a name that is none is refused, naming its member", () => {
  for (const name of [undefined, "", "t", "tasks/", "task/t", `tasks/${"x".repeat(3000)}`]) {
    assert.throws(
      () => echo("CancelTask", { name }),
      (error) => error instanceof A2AError && error.violations[0]?.field === "name",
    );
  }
  assert.throws(
    () => echo("ListTaskPushNotificationConfigs", { parent: "projects/p" }),
    (error) => error instanceof A2AError && error.violations[0]?.field === "parent",
  );
});

test("G-15: the service has the ten methods of 0.3, of which two stream, and its bytes have the numbers of the protocol", async () => {
  const { methods, typeName, method } = await loadService(service);
  assert.equal(typeName, "a2a.v1.A2AService");
  assert.deepEqual(
    methods.map(({ name, methodKind }) => `${name}${methodKind === "unary" ? "" : " streams"}`).sort(),
    [
      "CancelTask",
      "CreateTaskPushNotificationConfig",
      "DeleteTaskPushNotificationConfig",
      "GetAgentCard",
      "GetTask",
      "GetTaskPushNotificationConfig",
      "ListTaskPushNotificationConfig",
      "SendMessage",
      "SendStreamingMessage streams",
      "TaskSubscription streams",
    ],
  );
  assert.deepEqual([...service.methods.keys()].sort(), methods.map(({ name }) => name).sort());
  assert.equal(codec.grpc?.service, typeName);
  const input = method.sendMessage?.input;
  assert.ok(input);
  const message = { messageId: "m", role: "ROLE_USER", content: [{ text: "x" }] };
  const bytes = toBinary(input, messageOf(input, { message, configuration: { blocking: true } }));
  // 1: Message {1: "m", 4: 1, 5: Part {1: "x"}}, 2: SendMessageConfiguration {4: true}
  const inner = [0x0a, 1, 0x6d, 0x20, 1, 0x2a, 3, 0x0a, 1, 0x78];
  assert.deepEqual([...bytes], [0x0a, inner.length, ...inner, 0x12, 2, 0x20, 1]);
});
