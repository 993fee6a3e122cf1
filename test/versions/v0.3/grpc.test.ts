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
    operation: "GetTask" | "GetTaskPushNotificationConfig" | "DeleteTaskPushNotificationConfig",
    name: string,
    task: string,
    config?: string,
  ][] = [
    ["GetTask", "tasks/t-1", "t-1"],
    ["GetTaskPushNotificationConfig", "tasks/t/pushNotificationConfigs/c", "t", "c"],
    ["GetTaskPushNotificationConfig", "tasks/t", "t"],
    ["GetTaskPushNotificationConfig", "tasks/t/pushNotificationConfigs/c/1", "t", "c/1"],
    ["DeleteTaskPushNotificationConfig", "tasks/t/pushNotificationConfigs/c/1\n/", "t", "c/1\n/"],
  ];
  for (const [operation, name, task, config] of cases) {
    const ids = config === undefined ? { task } : { task, pushNotificationConfigId: config };
    assert.deepEqual(echo(operation, { name, historyLength: 2 }), { historyLength: 2, ...ids });
    assert.deepEqual(withName(operation, { ...ids, id: task, task: undefined }), { name, task: undefined });
  }
  assert.deepEqual(echo("CreateTaskPushNotificationConfig", { parent: "tasks/t", configId: "c" }), {
    configId: "c",
    task: "t",
  });
  const unnamed = { name: "tasks/t/pushNotificationConfigs/" };
  assert.deepEqual(echo("GetTaskPushNotificationConfig", unnamed), { task: "t" });
});

test("G-15: a push config whose id has a slash is created, read and deleted under that id", () => {
  const grpc = codec.dialectOf?.({ method: undefined, path: `/${service.service}/`, value: {} });
  assert.ok(grpc);
  const config = { pushNotificationConfig: { url: "https://a.example" } };
  const create = { parent: "tasks/t", configId: "a/b", config };
  const { taskId, id } = grpc.decodeRequest("CreateTaskPushNotificationConfig", create);
  assert.deepEqual({ taskId, id }, { taskId: "t", id: "a/b" });
  const name = "tasks/t/pushNotificationConfigs/a/b";
  for (const operation of ["GetTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"] as const)
    assert.deepEqual(grpc.decodeRequest(operation, { name }), { taskId: "t", id: "a/b" });
});

test("G-15: a name of another form than that of the operation is refused, with the form", () => {
  const [task, config] = ["tasks/t", "tasks/t/pushNotificationConfigs/c"];
  const unnamed = "tasks/t/pushNotificationConfigs/";
  const [taskForm, configForm] = ["tasks/{id}", "tasks/{id}/pushNotificationConfigs/{id}"];
  const rows = [
    ["GetTask", "name", [config], taskForm],
    ["CancelTask", "name", [config], taskForm],
    ["SubscribeToTask", "name", [config], taskForm],
    ["CreateTaskPushNotificationConfig", "parent", [config], taskForm],
    ["ListTaskPushNotificationConfigs", "parent", [config], taskForm],
    ["GetTaskPushNotificationConfig", "name", ["tasks/t/pushConfigs/c"], `${configForm} or ${taskForm}`],
    ["DeleteTaskPushNotificationConfig", "name", [task, unnamed], configForm],
  ] as const;
  for (const [operation, member, names, form] of rows) {
    const description = `must have the form ${form}, with at most 2048 characters`;
    for (const name of names) {
      assert.throws(
        () => echo(operation, { [member]: name }),
        { code: "INVALID_PARAMS", violations: [{ field: member, description }] },
        `${operation} ${name}`,
      );
    }
  }
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
