import assert from "node:assert/strict";
import { test } from "vitest";
import { clientCodec } from "../../../src/versions/v1.0/client-codec.js";
import { codec } from "../../../src/versions/v1.0/codec.js";
import { decodeEvent, decodeResponse } from "../../../src/versions/v1.0/decode-response.js";

type Json = any;

const later = { laterMember: { deep: [1, null, { a: null }] }, later_flag: true };
const message: Json = {
  messageId: "m",
  role: "ROLE_USER",
  parts: [{ text: "x", ...later }],
  ...later,
};
const send = (changed: object): Json =>
  codec.decodeRequest("SendMessage", { message: { ...message, ...changed } });

test("JSON-04, JSON-05: what a later version adds to a message or a part is kept as it came, as a copy", () => {
  const given = { message, configuration: { taskPushNotificationConfig: { url: "https://a", ...later } } };
  const read: Json = codec.decodeRequest("SendMessage", given);
  assert.deepEqual(read, given);
  assert.notEqual(read.message.laterMember, message.laterMember);
  assert.notEqual(read.message.parts[0].laterMember.deep, message.parts[0].laterMember.deep);
});

test("RESTQ-10, JSON-04: a request itself ends at the server: what it does not know of one is dropped", () => {
  const read = codec.decodeRequest("SendMessage", { ...later, message, configuration: later });
  assert.deepEqual(read, { message, configuration: {} });
  assert.deepEqual(codec.decodeRequest("GetTask", { id: "t", utm_source: "x" }), { id: "t" });
});

test("JSON-02, JSON-03: another spelling of a known member is that member, also beside it", () => {
  const { message: read } = send({ message_id: "other", contextId: null, context_id: "c" });
  assert.deepEqual(read, { ...message, contextId: "c" });
});

test("OBJ-13, OBJT-05: names that older versions and drafts have are read as nothing", () => {
  const { message: read } = send({
    kind: "message",
    created_at: "2026-01-31T12:00:00Z",
    parts: [{ kind: "data", type: "file", text: "x" }],
  });
  assert.deepEqual(read, { ...message, parts: [{ text: "x" }] });
});

test("JSONV-18: names that reach into a prototype are dropped, on top and within", () => {
  const text = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"__proto__":{"polluted":1},"constructor":{"prototype":{}},
    "toString":"x","hasOwnProperty":1,"later":{"__proto__":{"polluted":1}}}`;
  const { message: read }: Json = codec.decodeRequest("SendMessage", { message: JSON.parse(text) });
  assert.deepEqual(Object.keys(read), ["messageId", "role", "parts", "later"]);
  assert.equal(Object.getPrototypeOf(read), Object.prototype);
  assert.equal(Object.getPrototypeOf(read.later), Object.prototype);
  assert.deepEqual(Object.keys(read.later), ["__proto__"]);
  assert.equal(({} as Json).polluted, undefined);
});

test("SEC-08: unknown members of a request are bounded in number and in size; what is over is dropped", () => {
  const many = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`m${index}`, 1]));
  // Two of the thousand are those of the part.
  assert.equal(Object.keys(send(many).message).length, 3 + 998);
  const { message: read } = send({ small: 1, large: "x".repeat(70_000), after: 1 });
  assert.equal(read.large, undefined);
  assert.equal(read.parts[0].text, "x");
});

test("an unknown member that is undefined counts as absent", () => {
  assert.deepEqual(send({ later: 1, nothing: undefined }).message, { ...message, later: 1 });
});

test("a fault beside unknown members is named by its own path", () => {
  assert.throws(() => send({ role: "nobody" }), { code: "INVALID_PARAMS", message: /message\.role/ });
});

test("JSON-04, CLI-09: a client keeps what it does not know of answers and events", () => {
  const task = { id: "t", status: { state: "TASK_STATE_WORKING", ...later }, history: [message], ...later };
  assert.deepEqual(decodeResponse("GetTask", task), task);
  const page = { tasks: [task], nextPageToken: "", pageSize: 1, totalSize: 1, ...later };
  assert.deepEqual(decodeResponse("ListTasks", page), page);
  const statusUpdate = { taskId: "t", contextId: "c", status: task.status, ...later };
  assert.deepEqual(decodeEvent({ statusUpdate }), { statusUpdate });
  assert.equal(decodeEvent({ laterKind: {} }), undefined);
});

test("a client passes on what it was given, and refuses a member of a request that nobody knows", () => {
  const request: Json = { message };
  assert.equal(clientCodec.encodeRequest("SendMessage", request), request);
  const mistaken: Json = { message, configuration: { historyLenght: 1 } };
  assert.throws(() => clientCodec.encodeRequest("SendMessage", mistaken), {
    message: "configuration.historyLenght is not a member of this object",
  });
  const broken: Json = { message: { ...message, parts: [{ ...later }] } };
  assert.throws(
    () => clientCodec.encodeRequest("SendMessage", broken),
    /message\.parts\[0\] must have exactly one of/,
  );
});
