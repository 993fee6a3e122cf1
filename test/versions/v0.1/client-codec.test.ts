import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { operations } from "../../../generated/v0.1/operations.js";
import { isTaskPushNotificationConfig, isTaskSendParams } from "../../../generated/v0.1/validators.js";
import type { Message, StreamResponse, TaskState } from "../../../src/protocol/model.js";
import { decodeCard } from "../../../src/versions/decode-card.js";
import { clientCodec } from "../../../src/versions/v0.1/client-codec.js";
import { codec } from "../../../src/versions/v0.1/codec.js";
import { clientCodec as flat } from "../../../src/versions/v0.1/flat/client-codec.js";
import { ContractFault } from "../../../src/versions/version.js";
import { message, pushConfig } from "../arbitrary.js";

const runs = { numRuns: 60 };
const userSays: Message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] };

test("every method of 0.1 is called by its name", () => {
  const { ListTaskPushNotificationConfigs: listed, ...named } = Object.fromEntries(
    [...clientCodec.calls].map(([name, { method }]) => [name, method]),
  );
  assert.deepEqual(named, Object.fromEntries(operations.map(({ name, method }) => [name, method])));
  assert.equal(listed, "tasks/pushNotification/get");
});

test("LEG-03: requests written as 0.1 are valid there and are read as they were meant", () => {
  fc.assert(
    fc.property(message, pushConfig, (given, config) => {
      const request = {
        message: given,
        configuration: { historyLength: 2, taskPushNotificationConfig: config },
      };
      const written = clientCodec.encodeRequest("SendMessage", request);
      assert.ok(isTaskSendParams(written), JSON.stringify(isTaskSendParams.errors));
      const read = codec.decodeRequest("SendMessage", written);
      assert.equal(read.message.taskId, given.taskId || given.messageId);
      assert.equal(read.message.role, given.role);
      assert.equal(read.configuration?.historyLength, 2);
      assert.ok(
        isTaskPushNotificationConfig(clientCodec.encodeRequest("CreateTaskPushNotificationConfig", config)),
      );
    }),
    runs,
  );
});

for (const authentication of [
  { authentication: { schemes: [], credentials: "c" } },
  { authentication: { schemes: [""], credentials: "c" } },
  { authenticationInfo: { value: "c" } },
]) {
  test(`credentials that an agent returns without a scheme are left out [${JSON.stringify(authentication)}]`, () => {
    const url = "https://x.test";
    const answer = { id: "t", pushNotificationConfig: { url, ...authentication } };
    for (const one of [clientCodec, flat]) {
      const config = one.decodeResponse("CreateTaskPushNotificationConfig", answer, {
        request: { taskId: "t", url },
      });
      assert.deepEqual(config, { url, taskId: "t", id: "t" });
    }
  });
}

test("a task that is begun has the name of its message, and all of its history is asked for", () => {
  assert.deepEqual(clientCodec.encodeRequest("SendMessage", { message: userSays }), {
    id: "m",
    sessionId: "m",
    message: { role: "user", parts: [{ type: "text", text: "x" }] },
    historyLength: 100,
  });
  const reply = { ...userSays, taskId: "t", contextId: "t" };
  assert.deepEqual(
    Object.keys(clientCodec.encodeRequest("SendMessage", { message: reply, metadata: { k: 1 } })),
    ["id", "message", "historyLength", "metadata"],
  );
  assert.deepEqual(clientCodec.encodeRequest("GetTask", { id: "t" }), { id: "t", historyLength: 100 });
  assert.throws(() => clientCodec.encodeRequest("GetTask", { id: "" }), ContractFault);
});

test("what is no task and no event is told from one by the model's validator", () => {
  assert.throws(() => clientCodec.decodeResponse("GetTask", "text", { request: { id: "t" } }), ContractFault);
  const status = { state: "working" };
  for (const [answer, field] of [
    [{ status: "text" }, "status"],
    [{ status: { state: "working", message: "text" } }, "status.message"],
    [{ status, artifacts: ["text"] }, "artifacts[0]"],
    [{ status, artifacts: [{ parts: "text" }] }, "artifacts[0].parts"],
    [{ status, history: ["text"] }, "history[0]"],
    [{ status: { state: "working", timestamp: 7 } }, "status.timestamp"],
  ] as const) {
    assert.throws(
      () => clientCodec.decodeResponse("GetTask", answer, { request: { id: "t" } }),
      (fault: ContractFault) => fault.field === field,
    );
  }
  assert.equal(clientCodec.decodeEvent({ id: "t", surprise: 1 }), undefined);
  assert.throws(() => clientCodec.decodeEvent("text"), ContractFault);
});

test("pieces of an artifact under one index are one artifact", () => {
  const part = (text: string) => ({ parts: [{ type: "text", text }] });
  const answer = {
    id: "t",
    status: { state: "completed" },
    artifacts: [part("a"), { index: 1, ...part("b") }, part("c")],
  };
  const { artifacts } = clientCodec.decodeResponse("GetTask", answer, { request: { id: "t" } });
  assert.deepEqual(artifacts, [
    { artifactId: "artifact-0", parts: [{ text: "a" }, { text: "c" }] },
    { artifactId: "artifact-1", parts: [{ text: "b" }] },
  ]);
});

test("a webhook that is not there is none, and reading it is a fault", () => {
  const none = { id: "t", pushNotificationConfig: null };
  const request = { taskId: "t", id: "t" };
  assert.deepEqual(
    clientCodec.decodeResponse("ListTaskPushNotificationConfigs", none, { request }).configs,
    [],
  );
  assert.deepEqual(
    clientCodec.decodeResponse("ListTaskPushNotificationConfigs", null, { request }).configs,
    [],
  );
  assert.throws(
    () => clientCodec.decodeResponse("GetTaskPushNotificationConfig", none, { request }),
    /pushNotificationConfig must be present: the task has no webhook/,
  );
  const config = { id: "t", pushNotificationConfig: { url: "https://x", authentication: { schemes: [] } } };
  assert.deepEqual(clientCodec.decodeResponse("GetTaskPushNotificationConfig", config, { request }), {
    url: "https://x",
    ...request,
  });
});

/** What peers send to webhooks, and what it is in the model. */
const bodies: readonly [object, Partial<StreamResponse>][] = [
  [
    { taskId: "t", eventType: "status", status: { state: "working" }, id: "t", sessionId: "c" },
    { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } },
  ],
  [
    {
      type: "TaskStatusUpdateEvent",
      taskId: "t",
      contextId: "c",
      status: { state: "input_required" },
      final: true,
    },
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_INPUT_REQUIRED" } } },
  ],
  [
    { id: "t", artifact: { parts: [{ text: "x" }], index: 2, append: true } },
    {
      artifactUpdate: {
        taskId: "t",
        contextId: "t",
        artifact: { artifactId: "artifact-2", parts: [{ text: "x" }] },
        append: true,
      },
    },
  ],
  [
    { id: "t", status: { state: "failed" }, metadata: { a2a_state: "TASK_STATE_REJECTED", k: 1 } },
    {
      statusUpdate: {
        taskId: "t",
        contextId: "t",
        status: { state: "TASK_STATE_REJECTED" satisfies TaskState },
        metadata: { k: 1 },
      },
    },
  ],
  // Metadata that records an earlier state of the task, and a state that does not exist.
  ...(["TASK_STATE_AUTH_REQUIRED", "done"] as const).map((a2a_state): [object, object] => [
    { id: "t", status: { state: "completed" }, final: true, metadata: { a2a_state } },
    {
      statusUpdate: {
        taskId: "t",
        contextId: "t",
        status: { state: "TASK_STATE_COMPLETED" satisfies TaskState },
      },
    },
  ]),
  [
    { id: "t", taskId: "t", status: "working", timestamp: "2026-01-01T00:00:00Z" },
    {
      task: {
        id: "t",
        contextId: "t",
        status: { state: "TASK_STATE_WORKING", timestamp: "2026-01-01T00:00:00Z" },
      },
    },
  ],
];

test("bodies of webhook calls are read in all their forms", () => {
  for (const [body, event] of bodies) assert.deepEqual(clientCodec.decodeEvent(body), event);
});

test("a stream ends with the event that says so", () => {
  assert.equal(clientCodec.isLast?.({ id: "t", final: true }), true);
  assert.equal(clientCodec.isLast?.({ id: "t", final: false }), false);
  assert.equal(clientCodec.isLast?.("text"), false);
});

const oldCard = { name: "Old", version: "1", url: "https://old.test", capabilities: {}, skills: [] };

test("CARD-15, CARD-18: what callers have to show is read from names and details", () => {
  const details = {
    in: "query",
    name: "k",
    flows: { clientCredentials: { tokenUrl: "https://t", scopes: {} } },
    openIdConnectUrl: "https://o",
  };
  const authentication = {
    schemes: ["Bearer", "ApiKey", "OAuth2", "OpenIdConnect", 7],
    credentials: JSON.stringify(details),
  };
  const { securitySchemes, securityRequirements } = decodeCard({ ...oldCard, authentication });
  assert.deepEqual(securitySchemes, {
    Bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } },
    ApiKey: { apiKeySecurityScheme: { location: "query", name: "k" } },
    OAuth2: { oauth2SecurityScheme: { flows: details.flows } },
    OpenIdConnect: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://o" } },
  });
  assert.equal(securityRequirements?.length, 4);
  for (const credentials of [undefined, "no JSON", "[1]"]) {
    const { securitySchemes: plain } = decodeCard({
      ...oldCard,
      authentication: { schemes: ["apikey"], credentials },
    });
    assert.deepEqual(plain, { apikey: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } } });
  }
  assert.deepEqual(decodeCard({ ...oldCard, authentication: {} }).securityRequirements, []);
});

test("words for media types are read as media types", () => {
  const skills = [{ id: "s", name: "S", inputModes: ["file"], outputModes: ["data", "image/png"] }];
  const card = decodeCard({ ...oldCard, defaultInputModes: ["text"], skills });
  assert.deepEqual([card.defaultInputModes, card.defaultOutputModes], [["text/plain"], ["text/plain"]]);
  assert.deepEqual(card.skills[0]?.inputModes, ["*/*"]);
  assert.deepEqual(card.skills[0]?.outputModes, ["application/json", "image/png"]);
  const snake = { default_input_modes: ["data"], skills: [{ name: "S", input_modes: ["text"] }] };
  const other = decodeCard({ ...oldCard, ...snake });
  assert.deepEqual(other.defaultInputModes, ["application/json"]);
  assert.deepEqual(other.skills[0]?.inputModes, ["text/plain"]);
  assert.throws(() => decodeCard({ ...oldCard, skills: "none" }), ContractFault);
  assert.throws(() => decodeCard({ ...oldCard, skills: ["none"] }), ContractFault);
  assert.throws(() => decodeCard({ ...oldCard, defaultInputModes: "text" }), ContractFault);
});

test("the events of a stream that continues a task belong to the context of the task, not to its message", () => {
  const read = clientCodec.eventReader?.("SendStreamingMessage", { message: { ...userSays, taskId: "t" } });
  const event = read?.({ id: "t", status: { state: "working" } });
  assert.equal(event?.statusUpdate?.contextId, "t");
});

test("a webhook in a response that is not an object is refused as such, and not read as none", () => {
  const wrong = { id: "t", pushNotificationConfig: "https://x.test" };
  for (const name of ["GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs"] as const) {
    const request = { taskId: "t", id: "t" };
    assert.throws(
      () => clientCodec.decodeResponse(name, wrong, { request }),
      (error: Error) => error instanceof ContractFault && !/no webhook/.test(error.message),
      name,
    );
  }
});
