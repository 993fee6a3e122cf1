import assert from "node:assert/strict";
import { test } from "vitest";
import type { Message } from "../../../../src/protocol/model.js";
import { decodeCard } from "../../../../src/versions/decode-card.js";
import { clientCodec } from "../../../../src/versions/v0.1/flat/client-codec.js";
import { ContractFault } from "../../../../src/versions/version.js";

type Json = any;

const userSays: Message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] };

test("messages keep their names", () => {
  const sent: Json = clientCodec.encodeRequest("SendMessage", {
    message: { ...userSays, contextId: "c" },
  });
  assert.deepEqual(sent, {
    contextId: "c",
    message: { ...userSays, contextId: "c", role: "user", referenceTaskIds: [] },
  });
  const more: Json = clientCodec.encodeRequest("SendMessage", {
    message: { ...userSays, taskId: "t" },
    metadata: { k: 1 },
  });
  assert.deepEqual([more.id, more.metadata], ["t", { k: 1 }]);
  assert.deepEqual(clientCodec.encodeRequest("CancelTask", { id: "t", metadata: { k: 1 } }), {
    id: "t",
    metadata: { k: 1 },
  });
  assert.deepEqual(clientCodec.encodeRequest("SubscribeToTask", { id: "t" }), { id: "t" });
  assert.deepEqual(clientCodec.encodeRequest("GetTaskPushNotificationConfig", { taskId: "t", id: "t" }), {
    id: "t",
  });
});

test("what the dialect does not have is left out of requests, as docs/versions.md lists", () => {
  const push = {
    url: "https://w.test",
    id: "w",
    token: "k",
    authentication: { scheme: "Bearer", credentials: "s" },
  };
  const send = { acceptedOutputModes: ["a/b"], historyLength: 1, returnImmediately: true };
  assert.deepEqual(
    clientCodec.encodeRequest("SendMessage", {
      message: userSays,
      configuration: { ...send, taskPushNotificationConfig: push },
    }),
    { message: { ...userSays, role: "user", referenceTaskIds: [] } },
  );
  assert.deepEqual(clientCodec.encodeRequest("GetTask", { id: "t", historyLength: 1 }), { id: "t" });
  assert.deepEqual(clientCodec.encodeRequest("CreateTaskPushNotificationConfig", { ...push, taskId: "t" }), {
    id: "t",
    pushNotificationConfig: {
      webhookUrl: "https://w.test",
      authenticationInfo: { scheme: "Bearer", value: "s" },
    },
  });
});

test("what is no list of tasks is told from one, and a webhook that is deleted leaves nothing", () => {
  assert.throws(() => clientCodec.decodeResponse("ListTasks", {}, { request: {} }), ContractFault);
  assert.equal(clientCodec.decodeResponse("DeleteTaskPushNotificationConfig", null), null);
});

test("of a list of all webhooks, those of the task are read", () => {
  const webhook = (task: object, name: string) => ({
    ...task,
    pushNotificationConfig: { webhookUrl: `https://${name}.test` },
  });
  const list = [webhook({ id: "t" }, "a"), webhook({ taskId: "other" }, "b"), webhook({}, "c")];
  const { configs } = clientCodec.decodeResponse("ListTaskPushNotificationConfigs", list, {
    request: { taskId: "t" },
  }) as Json;
  assert.deepEqual(configs, [
    { url: "https://a.test", taskId: "t", id: "t" },
    { url: "https://c.test", taskId: "t", id: "t" },
  ]);
});

test("a card lists its interfaces", () => {
  const interfaces = [
    { type: "json-rpc", url: "https://a.test", version: "1.0" },
    { type: "http", url: "https://b.test" },
    "odd",
  ];
  const card = decodeCard({
    name: "Flat",
    version: "1",
    capabilities: {},
    skills: [{ name: "S" }],
    interfaces,
    security: [],
    extensions: [],
  });
  assert.deepEqual(card.supportedInterfaces, [
    { url: "https://a.test", protocolBinding: "JSONRPC", protocolVersion: "0.1-flat" },
    { url: "https://b.test", protocolBinding: "HTTP+JSON", protocolVersion: "0.1-flat" },
  ]);
  assert.equal(card.skills[0]?.id, "S");
  assert.deepEqual(card.defaultInputModes, ["text/plain"]);
});

test("a card may have its modes in snake_case", () => {
  const card = decodeCard({
    name: "Flat",
    version: "1",
    default_output_modes: ["a/b"],
    interfaces: [{ type: "json-rpc", url: "https://a.test" }],
  });
  assert.deepEqual(card.defaultInputModes, ["text/plain"]);
  assert.deepEqual(card.defaultOutputModes, ["a/b"]);
});

test("security of a card is dropped in both spellings, and so are its extensions", () => {
  const schemes = { key: { type: "http", scheme: "Bearer" } };
  const requirements = [{ schemes: { key: { list: [] } } }];
  const card = decodeCard({
    name: "Flat",
    version: "1",
    interfaces: [{ type: "json-rpc", url: "https://a.test" }],
    authentication: { schemes: ["Bearer"] },
    security: [{ key: [] }],
    securitySchemes: schemes,
    security_schemes: schemes,
    securityRequirements: requirements,
    security_requirements: requirements,
    extensions: [{ uri: "https://e.test" }],
  });
  assert.deepEqual(Object.keys(card).sort(), [
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "description",
    "name",
    "skills",
    "supportedInterfaces",
    "version",
  ]);
});

test("a card of another version with a member `interfaces` is not one of the dialect", () => {
  const security = [{ key: [] }];
  const securitySchemes = { key: { type: "http", scheme: "Bearer" } };
  const shared = { name: "Other", version: "1", security, securitySchemes };
  const url = "https://a.test";
  const unlike = [[], [{ type: "rest", href: "x" }], [{ type: "rest", url }], [{ type: "http" }], [null]];
  const alike = [{ type: "http", url }];
  const current = [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
  const cards = [
    ...[...unlike, alike].map((interfaces) => ({ ...shared, url, protocolVersion: "0.3.0", interfaces })),
    { ...shared, url, interfaces: alike },
    { ...shared, supportedInterfaces: current, interfaces: alike },
    { ...shared, supported_interfaces: current, interfaces: alike },
  ];
  for (const card of cards) {
    const { supportedInterfaces, securitySchemes, securityRequirements } = decodeCard(card);
    assert.deepEqual(
      supportedInterfaces.map(({ url }) => url),
      [url],
    );
    assert.notEqual(supportedInterfaces[0]?.protocolVersion, "0.1-flat");
    assert.deepEqual(securitySchemes, { key: { httpAuthSecurityScheme: { scheme: "Bearer" } } });
    assert.deepEqual(securityRequirements, [{ schemes: { key: { list: [] } } }]);
  }
  assert.throws(() => decodeCard({ name: "Flat", version: "1", interfaces: [] }), ContractFault);
});
