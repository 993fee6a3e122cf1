import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { operations } from "../../../src/protocol/operations.js";
import { clientCodec } from "../../../src/versions/v1.0/client-codec.js";
import { ContractFault } from "../../../src/versions/version.js";

interface Fixture {
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
}

const fixtures = JSON.parse(
  readFileSync(new URL("../../../generated/v1.0/fixtures.json", import.meta.url), "utf8"),
) as Record<string, { valid: Fixture[]; invalid: Fixture[] }>;

const { decodeEvent, decodeResponse, encodeRequest } = clientCodec;
const task = { id: "t", status: { state: "TASK_STATE_WORKING" } };

for (const { name, response, request } of operations) {
  test(`every valid ${request} leaves as a request of ${name}, every invalid one is refused by path`, () => {
    for (const { name: fixture, value } of fixtures[request]!.valid) {
      assert.equal(encodeRequest(name, value as never), value, fixture);
    }
    for (const { name: fixture, value, path } of fixtures[request]!.invalid) {
      assert.throws(
        () => encodeRequest(name, value as never),
        (error) => error instanceof ContractFault && error.field === path,
        fixture,
      );
    }
  });

  if (response === null || name === "GetExtendedAgentCard") continue;
  test(`every valid ${response} is read as the answer to ${name}`, () => {
    for (const { name: fixture, value } of fixtures[response]!.valid) {
      const read: unknown = decodeResponse(name, value);
      if (name !== "ListTaskPushNotificationConfigs") assert.equal(read, value, fixture);
    }
  });
}

test("ERR-12, CLI-09: an answer that breaks the contract is refused with the path of the fault", () => {
  const broken = { ...task, artifacts: [{ artifactId: "a", parts: [{ text: "x", url: "y" }] }] };
  assert.throws(
    () => decodeResponse("GetTask", broken),
    (error) =>
      error instanceof ContractFault &&
      error.field === "artifacts[0].parts[0]" &&
      error.message === `artifacts[0].parts[0] ${error.expected}` &&
      /exactly one of/.test(error.expected),
  );
  assert.throws(() => decodeResponse("GetTask", null), /^ContractFault: the value must be an object/);
});

test("over gRPC, where members with their default value are absent, an absent enum has its value 0", () => {
  const grpc = clientCodec.forBinding!("GRPC");
  const message = { messageId: "m", parts: [{ text: "a" }] };
  assert.deepEqual(grpc.decodeResponse("GetTask", { id: "t", status: { message } }), {
    id: "t",
    status: { state: "TASK_STATE_UNSPECIFIED", message: { ...message, role: "ROLE_UNSPECIFIED" } },
  });
  assert.throws(() => decodeResponse("GetTask", { id: "t", status: {} }), /status\.state is required/);
});

test("a fault can be put up with: it is reported and the answer is given as it could be read", () => {
  const faults: string[] = [];
  const read = decodeResponse(
    "GetTask",
    { id: "t", status: {}, extra: 1 },
    {
      tolerate: ({ message }) => void faults.push(message),
    },
  );
  assert.deepEqual(read, { id: "t", status: {}, extra: 1 });
  assert.deepEqual(faults, ["status.state is required"]);
  assert.throws(() => decodeResponse("GetTask", "no task", { tolerate: () => {} }), ContractFault);
});

test("TASK-18, JSONV-04, CLI-09: names and numbers of states that a newer version may have are kept", () => {
  for (const [given, kept] of [
    ["TASK_STATE_PAUSED", "TASK_STATE_PAUSED"],
    [42, 42],
    [-1, -1],
    [2, "TASK_STATE_WORKING"],
  ]) {
    assert.deepEqual(decodeResponse("GetTask", { id: "t", status: { state: given } }), {
      id: "t",
      status: { state: kept },
    });
  }
});

test("OP-SEND-21: a state or role in the spelling of another version is no newer name", () => {
  for (const state of ["working", "", {}]) {
    assert.throws(() => decodeResponse("GetTask", { id: "t", status: { state } }), ContractFault);
  }
  const message = { messageId: "m", role: "user", parts: [{ text: "" }] };
  assert.throws(() => decodeEvent({ message }), /message.role/);
});

test("a newer name does not hide a fault elsewhere", () => {
  const broken = { id: "", status: { state: "TASK_STATE_PAUSED" } };
  assert.throws(() => decodeResponse("GetTask", broken), ContractFault);
});

test("JSON-02, JSON-04, JSON-10: other spellings are read, retired members dropped, null is absent", () => {
  assert.deepEqual(decodeResponse("GetTask", { ...task, context_id: "c", kind: "task", history: null }), {
    ...task,
    contextId: "c",
  });
});

test("JSONV-09: white space in base64 is ignored", () => {
  const part = (raw: string) => ({ ...task, artifacts: [{ artifactId: "a", parts: [{ raw }] }] });
  assert.deepEqual(decodeResponse("GetTask", part("aGVs\r\nbG8=")), part("aGVsbG8="));
  assert.throws(() => decodeResponse("GetTask", part("aGV*bG8=")), ContractFault);
});

test("OP-PUSH-16, JSON-14: members of lists that were left out read as empty", () => {
  assert.deepEqual(decodeResponse("ListTaskPushNotificationConfigs", {}), { configs: [], nextPageToken: "" });
  assert.deepEqual(decodeResponse("ListTasks", { tasks: [task] }), {
    tasks: [task],
    nextPageToken: "",
    pageSize: 0,
    totalSize: 0,
  });
});

test("OP-PUSH-21: whatever confirms a delete is taken", () => {
  for (const value of [null, {}, undefined, "ok"]) {
    assert.equal(decodeResponse("DeleteTaskPushNotificationConfig", value), null);
  }
});

test("CLI-09: an event without a known member is no event and no fault", () => {
  assert.equal(decodeEvent({ heartbeat: {} }), undefined);
  assert.equal(decodeEvent({}), undefined);
  assert.throws(() => decodeEvent([]), ContractFault);
  assert.throws(() => decodeEvent({ task, message: null, statusUpdate: {} }), ContractFault);
});

test("OBJT-05: the wrapper names of the migration guide are taken as aliases", () => {
  const statusUpdate = { taskId: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
  assert.deepEqual(decodeEvent({ taskStatusUpdate: statusUpdate }), { statusUpdate });
  const artifactUpdate = {
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [{ text: "" }] },
  };
  assert.deepEqual(
    decodeEvent({ task_artifact_update: artifactUpdate, taskArtifactUpdate: artifactUpdate }),
    {
      artifactUpdate,
    },
  );
});
