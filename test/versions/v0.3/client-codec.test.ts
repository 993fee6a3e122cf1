import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { test } from "vitest";
import { operations } from "../../../generated/v0.3/operations.js";
import type { Message } from "../../../src/protocol/model.js";
import type { OperationName } from "../../../src/protocol/operations.js";
import { clientCodec, olderClientCodec } from "../../../src/versions/v0.3/client-codec.js";
import { codec } from "../../../src/versions/v0.3/codec.js";
import { ContractFault } from "../../../src/versions/version.js";
import { event, message, pushConfig, task } from "../arbitrary.js";

const rest = clientCodec.forBinding!("HTTP+JSON");
const server = {
  rpc: codec,
  rest: (value: unknown) => codec.dialectOf!({ method: undefined, value }),
};
const runs = { numRuns: 40 };

type Fixture = { readonly name: string; readonly value: any };
const fixtures = JSON.parse(
  readFileSync(new URL("../../../generated/v0.3/fixtures.json", import.meta.url), "utf8"),
) as Record<string, { valid: Fixture[]; invalid: Fixture[] }>;

test("a codec is there for each binding", () => {
  assert.equal(clientCodec.forBinding!("JSONRPC"), clientCodec);
  assert.notEqual(rest, clientCodec);
  assert.deepEqual(
    [...clientCodec.calls.keys()],
    operations.map(({ name }) => name),
  );
});

test("agents of 0.2 are told of media types in every case, and are called as those of 0.3 are beside that", () => {
  const message: Message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hello" }] };
  const sent = (configuration = {}) =>
    olderClientCodec.encodeRequest("SendMessage", { message, configuration }) as { configuration: object };
  assert.deepEqual(sent().configuration, { acceptedOutputModes: [], blocking: true });
  const modes = { acceptedOutputModes: ["text/plain"] };
  assert.deepEqual(sent(modes).configuration, { ...modes, blocking: true });
  assert.deepEqual(olderClientCodec.encodeRequest("GetTask", { id: "t" }), { id: "t" });
  assert.deepEqual(olderClientCodec.forBinding!("JSONRPC"), olderClientCodec);
  assert.deepEqual(olderClientCodec.forBinding!("HTTP+JSON"), { ...rest, version: "0.2" });
});

for (const { name, response } of operations) {
  if (response === null || response === "AgentCard") continue;
  const { valid, invalid } = fixtures[response]!;

  test(`every valid ${response} is read as the answer to ${name}`, () => {
    for (const { value, name: fixture } of valid) {
      const read = name === "SubscribeToTask" || name === "SendStreamingMessage";
      const answer = read ? clientCodec.decodeEvent(value) : clientCodec.decodeResponse(name, value);
      assert.ok(answer, fixture);
    }
  });

  test(`an invalid ${response} is no answer to ${name}, unless it can be read as one`, () => {
    for (const { value } of invalid) {
      try {
        clientCodec.decodeResponse(name, value);
      } catch (error) {
        assert.ok(error instanceof ContractFault);
      }
    }
  });
}

const requests: [name: OperationName, request: any][] = [
  ["GetTask", { id: "t", historyLength: 2 }],
  ["GetTask", { id: "t" }],
  ["CancelTask", { id: "t", metadata: { a: 1 } }],
  ["CancelTask", { id: "t" }],
  ["SubscribeToTask", { id: "t" }],
  ["GetTaskPushNotificationConfig", { taskId: "t", id: "c" }],
  ["ListTaskPushNotificationConfigs", { taskId: "t" }],
  ["DeleteTaskPushNotificationConfig", { taskId: "t", id: "c" }],
  ["GetExtendedAgentCard", {}],
];
for (const [name, request] of requests) {
  test(`a request of ${name} is read by a server as it was: ${JSON.stringify(request)}`, () => {
    const value = clientCodec.encodeRequest(name, request);
    assert.deepEqual(server.rpc.decodeRequest(name, value), request);
    const written = rest.encodeRequest(name, request);
    assert.deepEqual(server.rest(written).decodeRequest(name, written), request);
  });
}

test("a send is read by a server as it was, and always says whether it waits", () => {
  const configuration = fc.constantFrom<any>(
    {},
    { returnImmediately: true },
    { historyLength: 3, acceptedOutputModes: ["text/plain"] },
    { taskPushNotificationConfig: { url: "https://x", id: "c" } },
  );
  const sends = fc.record({ message, configuration }).map((value) => ({ ...value }));
  fc.assert(
    fc.property(sends, (request) => {
      const value: any = clientCodec.encodeRequest("SendMessage", request);
      assert.equal(value.configuration.blocking, !("returnImmediately" in request.configuration));
      assert.deepEqual(server.rpc.decodeRequest("SendMessage", value), request);
    }),
    runs,
  );
  const plain = { message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "x" }] } };
  const more = {
    ...plain,
    metadata: { a: 1 },
    configuration: { taskPushNotificationConfig: { url: "https://x", id: "c" } },
  };
  const written = rest.encodeRequest("SendMessage", more);
  assert.deepEqual(server.rest(written).decodeRequest("SendMessage", written), more);
  assert.deepEqual(server.rpc.decodeRequest("SendMessage", clientCodec.encodeRequest("SendMessage", plain)), {
    ...plain,
    configuration: {},
  });
  assert.throws(() => clientCodec.encodeRequest("GetTask", { id: "" }), ContractFault);
});

test("JSON-05: members of newer versions are not sent to agents that do not have them", () => {
  const newer = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "x" }], kind: "odd", later: 1 };
  const value: any = clientCodec.encodeRequest("SendMessage", { message: newer });
  assert.deepEqual(Object.keys(value.message).sort(), ["kind", "messageId", "parts", "role"]);
  assert.equal(value.message.kind, "message");
});

test("a webhook is read by a server as it was, over both bindings", () => {
  fc.assert(
    fc.property(pushConfig, (config) => {
      const value = clientCodec.encodeRequest("CreateTaskPushNotificationConfig", config);
      assert.deepEqual(server.rpc.decodeRequest("CreateTaskPushNotificationConfig", value), config);
    }),
    runs,
  );
  for (const config of [
    { taskId: "t", id: "c", url: "https://x" },
    { taskId: "t", url: "https://x" },
  ]) {
    const { taskId, ...body }: any = rest.encodeRequest("CreateTaskPushNotificationConfig", config);
    const read = server
      .rest(body)
      .decodeRequest("CreateTaskPushNotificationConfig", { ...body, task: taskId });
    assert.deepEqual(read, { id: "t", ...config });
  }
});

test("events of a server are read as they were, in each of its shapes", () => {
  fc.assert(
    fc.property(event, (given) => {
      const bare = JSON.parse(codec.eventWriter("SendStreamingMessage")(given));
      assert.deepEqual(clientCodec.decodeEvent(bare), given);
      const { kind: _, ...unkind } = bare;
      if (given.statusUpdate === undefined) assert.deepEqual(clientCodec.decodeEvent(unkind), given);
      const text = server.rest({ config: { taskId: "t" } });
      assert.deepEqual(rest.decodeEvent(JSON.parse(text.eventWriter("SendStreamingMessage")(given))), given);
    }),
    runs,
  );
});

test("answers of a server are read as they were", () => {
  fc.assert(
    fc.property(task, message, (one, reply) => {
      const read = (name: OperationName, answer: any): unknown =>
        clientCodec.decodeResponse(name, codec.encodeResponse(name, answer, {} as never));
      assert.deepEqual(read("GetTask", one), one);
      assert.deepEqual(read("CancelTask", one), one);
      assert.deepEqual(read("SendMessage", { task: one }), { task: one });
      assert.deepEqual(read("SendMessage", { message: reply }), { message: reply });
    }),
    runs,
  );
  fc.assert(
    fc.property(pushConfig, (config) => {
      const encode = (name: OperationName, answer: any) =>
        codec.encodeResponse(name, answer, config as never);
      const one = encode("GetTaskPushNotificationConfig", config);
      assert.deepEqual(clientCodec.decodeResponse("GetTaskPushNotificationConfig", one), config);
      const list = encode("ListTaskPushNotificationConfigs", { configs: [config] });
      assert.deepEqual(clientCodec.decodeResponse("ListTaskPushNotificationConfigs", list), {
        configs: [config],
        nextPageToken: "",
      });
    }),
    runs,
  );
});
