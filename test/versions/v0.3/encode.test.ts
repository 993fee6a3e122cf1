import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  isAgentCard,
  isSendMessageResult,
  isStreamEvent,
  isTask,
  isTaskPushNotificationConfig,
} from "../../../generated/v0.3/validators.js";
import { A2AError, type ErrorCode } from "../../../src/protocol/errors.js";
import type { StreamResponse } from "../../../src/protocol/model.js";
import { decodeCard } from "../../../src/versions/decode-card.js";
import { decodeEvent, decodeResponse } from "../../../src/versions/v0.3/client-codec.js";
import { codec } from "../../../src/versions/v0.3/codec.js";
import { fullCard } from "../../card/sample-card.js";
import { event, pushConfig, task } from "../arbitrary.js";

const write = codec.eventWriter("SendStreamingMessage");
const request = { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } } as any;
const runs = { numRuns: 60 };

test("LEG-03: an event written as 0.3 is valid there and reads back as it was", () => {
  fc.assert(
    fc.property(event, (given) => {
      const value = JSON.parse(write(given));
      assert.ok(isStreamEvent(value), JSON.stringify(isStreamEvent.errors));
      assert.deepEqual(decodeEvent(value), given);
    }),
    runs,
  );
});

test("a task and the answer to a send are written bare, told apart by kind", () => {
  fc.assert(
    fc.property(task, (given) => {
      const value: any = codec.encodeResponse("GetTask", given, { id: given.id });
      assert.ok(isTask(value), JSON.stringify(isTask.errors));
      assert.deepEqual(decodeResponse("GetTask", value), given);
      const sent = codec.encodeResponse("SendMessage", { task: given }, request);
      assert.ok(isSendMessageResult(sent));
      assert.deepEqual(sent, value);
    }),
    runs,
  );
});

test("a webhook is written with its task around it, and all webhooks of a task as a bare list", () => {
  fc.assert(
    fc.property(pushConfig, (given) => {
      const value: any = codec.encodeResponse("CreateTaskPushNotificationConfig", given, given);
      assert.ok(isTaskPushNotificationConfig(value));
      assert.deepEqual(decodeResponse("GetTaskPushNotificationConfig", value), given);
      const list = codec.encodeResponse(
        "ListTaskPushNotificationConfigs",
        { configs: [given], nextPageToken: "" },
        { taskId: given.taskId },
      );
      assert.deepEqual(list, [value]);
    }),
    runs,
  );
  assert.deepEqual(codec.encodeResponse("ListTaskPushNotificationConfigs", {}, { taskId: "t" }), []);
  assert.equal(
    codec.encodeResponse("DeleteTaskPushNotificationConfig", null, { taskId: "t", id: "c" }),
    null,
  );
});

const update = (state: string): StreamResponse =>
  ({ statusUpdate: { taskId: "t", contextId: "c", status: { state } } }) as StreamResponse;

const ends: [state: string, ofSend: boolean, ofSubscription: boolean][] = [
  ["TASK_STATE_SUBMITTED", false, false],
  ["TASK_STATE_WORKING", false, false],
  ["TASK_STATE_COMPLETED", true, true],
  ["TASK_STATE_FAILED", true, true],
  ["TASK_STATE_CANCELED", true, true],
  ["TASK_STATE_REJECTED", true, true],
  ["TASK_STATE_INPUT_REQUIRED", true, false],
  ["TASK_STATE_AUTH_REQUIRED", false, false],
];
for (const [state, ofSend, ofSubscription] of ends) {
  test(`${state} is final: ${ofSend} on message/stream, ${ofSubscription} on tasks/resubscribe`, () => {
    const given = update(state);
    assert.equal(JSON.parse(write(given)).final, ofSend);
    assert.equal(JSON.parse(codec.eventWriter("SubscribeToTask")(given)).final, ofSubscription);
  });
}

test("an event is written once for all streams of a kind", () => {
  const given = update("TASK_STATE_WORKING");
  assert.equal(write(given), write({ ...given }));
});

test("a webhook gets the whole task, or the event when the task is gone", () => {
  const { mediaType, needsTask, encode } = codec.notification;
  assert.deepEqual([mediaType, needsTask], ["application/json", true]);
  const status = { state: "TASK_STATE_WORKING" } as const;
  assert.equal(
    encode(update("TASK_STATE_WORKING"), { id: "t", contextId: "c", status }),
    '{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}',
  );
  assert.equal(JSON.parse(encode(update("TASK_STATE_WORKING"), undefined)).kind, "status-update");
});

test("LEG-05: a card is written with the interfaces of this version alone, and reads back as it was", () => {
  const card = {
    ...fullCard,
    supportedInterfaces: [
      { url: "https://a.example/1", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: "https://a.example/2", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { url: "https://a.example/3", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
    ],
  };
  const value: any = codec.encodeCard(card);
  assert.ok(isAgentCard(value), JSON.stringify(isAgentCard.errors));
  assert.equal(value.url, "https://a.example/2");
  assert.deepEqual(value.additionalInterfaces, [{ url: "https://a.example/3", transport: "HTTP+JSON" }]);
  const back = decodeCard(value);
  assert.deepEqual(
    back.supportedInterfaces.map(({ url }) => url),
    ["https://a.example/2", "https://a.example/3"],
  );
  for (const member of [
    "name",
    "description",
    "version",
    "skills",
    "provider",
    "securityRequirements",
  ] as const)
    assert.deepEqual(back[member], card[member], member);
  assert.equal(
    codec.encodeCard({ ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 1) }),
    undefined,
  );
  const own: any = codec.encodeResponse(
    "GetExtendedAgentCard",
    { ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 1) },
    {},
  );
  assert.equal(own.url, "https://a.example/1");
  assert.ok(
    isAgentCard(codec.encodeResponse("GetExtendedAgentCard", { ...card, supportedInterfaces: [] }, {})),
  );
});

const codes: [code: ErrorCode, number: number, status: number][] = [
  ["TASK_NOT_FOUND", -32001, 404],
  ["TASK_NOT_CANCELABLE", -32002, 400],
  ["INVALID_AGENT_RESPONSE", -32006, 500],
  ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007, 404],
  ["EXTENSION_SUPPORT_REQUIRED", -32600, 400],
  ["VERSION_NOT_SUPPORTED", -32009, 400],
  ["INVALID_PARAMS", -32602, 400],
  ["UNAUTHENTICATED", -32000, 401],
];
for (const [code, number, status] of codes) {
  test(`ERR-15: ${code} is ${number} in 0.3, with HTTP status ${status} on HTTP+JSON`, () => {
    const error = new A2AError(code, "why", { metadata: { a: "b" } });
    const value: any = codec.encodeError(error);
    assert.deepEqual([value.code, value.message], [number, "why"]);
    assert.equal(value.data.details[0].reason, code);
    assert.deepEqual(codec.encodeHttpError(error), value);
    assert.equal(codec.httpStatusOf(error), status);
  });
}
