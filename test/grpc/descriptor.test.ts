import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type DescField, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { test } from "vitest";
import { emitGrpc } from "../../codegen/emit/grpc.js";
import { normalize } from "../../codegen/normalize.js";
import { SchemaError } from "../../codegen/problems.js";
import { fileDescriptor } from "../../generated/v1.0/grpc.js";
import { operations } from "../../generated/v1.0/operations.js";
import { loadService, messageJson, messageOf } from "../../src/grpc/service.js";
import { tinyDocuments } from "../codegen/tiny.js";
import { fieldsIn, service, textOf } from "../support/grpc-peer.js";

/** What the protocol's definition says, as it was imported once. */
const facts = JSON.parse(readFileSync(new URL("../facts/v1.0.json", import.meta.url), "utf8"));

const desc = await loadService({ ...service, descriptor: async () => fileDescriptor });
const messages = new Map(desc.file.messages.map((message) => [message.name, message]));

function messageNamed(name: string): DescMessage {
  const found = messages.get(name);
  assert.ok(found, name);
  return found;
}

/** Types of Google by the words of the facts. */
const words: Record<string, string> = {
  "google.protobuf.Timestamp": "timestamp",
  "google.protobuf.Struct": "object",
  "google.protobuf.Value": "any JSON value",
};
const scalars: Record<number, string> = { 1: "double", 5: "int32", 8: "bool", 9: "string", 12: "bytes" };

function typeOf(field: DescField): string {
  const { message, enum: enumeration, scalar } = field as DescField & { scalar?: number };
  if (message !== undefined) return words[message.typeName] ?? message.name;
  return enumeration?.name ?? scalars[scalar ?? 0] ?? String(scalar);
}

test("G-02, G-03, G-04, G-05: the service has the methods of the definition, with their requests, answers and streams", () => {
  assert.equal(desc.typeName, "lf.a2a.v1.A2AService");
  const methods = Object.fromEntries(
    desc.methods.map(({ name, input, output, methodKind }) => [
      name,
      {
        request: input.name,
        response: output.typeName === "google.protobuf.Empty" ? null : output.name,
        streaming: methodKind === "server_streaming",
      },
    ]),
  );
  const expected = Object.entries<any>(facts.methods).map(
    ([name, { request, response, serverStreaming = false }]) => [
      name,
      { request, response: response === "empty" ? null : response, streaming: serverStreaming },
    ],
  );
  assert.deepEqual(methods, Object.fromEntries(expected));
  assert.deepEqual(
    desc.methods.map(({ name }) => name),
    operations.map(({ name }) => name),
  );
});

test("G-06, G-07, G-08, G-09: every field has the number, type, group and presence of the definition", () => {
  assert.deepEqual([...messages.keys()].sort(), Object.keys(facts.messages).sort());
  for (const [name, { fields }] of Object.entries<any>(facts.messages)) {
    const found = messageNamed(name).fields.map((field) => [
      field.jsonName,
      {
        number: field.number,
        type: typeOf(field),
        ...(field.fieldKind === "map" && { map: true, keyType: scalars[field.mapKey] }),
        ...(field.proto.options?.deprecated && { deprecated: true }),
        ...(field.fieldKind === "list" && { repeated: true }),
        ...(field.oneof !== undefined && { oneof: field.oneof.name }),
        ...(field.proto.proto3Optional && { explicitPresence: true }),
      },
    ]);
    const expected = Object.entries<any>(fields).map(([member, { required: _, ...fact }]) => [member, fact]);
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected), name);
  }
  const enums = desc.file.enums.map(({ name, values }) => [
    name,
    Object.fromEntries(values.map((value) => [value.name, value.number])),
  ]);
  assert.deepEqual(Object.fromEntries(enums), facts.enums);
});

test("G-07, G-08: there are five groups and ten fields with presence of their own", () => {
  const groups = [...messages.values()].flatMap(({ name, oneofs }) =>
    oneofs.map((oneof) => `${name}.${oneof.name}`),
  );
  assert.deepEqual(groups.sort(), [
    "OAuthFlows.flow",
    "Part.content",
    "SecurityScheme.scheme",
    "SendMessageResponse.payload",
    "StreamResponse.payload",
  ]);
  const explicit = [...messages.values()].flatMap(({ fields }) =>
    fields.filter(({ proto }) => proto.proto3Optional),
  );
  assert.deepEqual(explicit.map(({ name }) => name).sort(), [
    ...["documentation_url", "extended_agent_card", "history_length", "history_length", "history_length"],
    ...["icon_url", "include_artifacts", "page_size", "push_notifications", "streaming"],
  ]);
});

test("G-06: tenant is field 4 of a list of webhooks and field 3 of an interface, and 1 elsewhere", () => {
  const list = messageNamed("ListTaskPushNotificationConfigsRequest");
  const bytes = toBinary(list, messageOf(list, { taskId: "t", tenant: "acme" }));
  assert.equal(textOf(fieldsIn(bytes).get(4)), "acme");
  const entry = messageNamed("AgentInterface");
  const written = toBinary(entry, messageOf(entry, { url: "u", tenant: "acme" }));
  assert.equal(textOf(fieldsIn(written).get(3)), "acme");
  const get = messageNamed("GetTaskRequest");
  assert.equal(textOf(fieldsIn(toBinary(get, messageOf(get, { id: "t", tenant: "acme" }))).get(1)), "acme");
});

test("G-09: null survives in data and in metadata", () => {
  const part = messageNamed("Part");
  const value = { data: { a: null, b: [null, 1] }, metadata: { none: null } };
  assert.deepEqual(messageJson(part, messageOf(part, value)), value);
  assert.deepEqual(messageJson(part, messageOf(part, { data: null })), { data: null });
});

test("G-47: numbers are doubles, and members that the definition does not have are dropped", () => {
  const part = messageNamed("Part");
  const read = messageJson(part, messageOf(part, { data: 9e15 + 0.5, unknown: 1 }));
  assert.deepEqual(read, { data: 9e15 + 0.5 });
});

test("a service in a schema without field numbers is refused, and one with numbers gets a descriptor", () => {
  const { schema, operations: table } = tinyDocuments();
  table.service = "tiny.v1.Things";
  const version = (content: unknown, file: string) => ({ file, content });
  const load = () =>
    normalize([
      {
        folder: "v7.1",
        schema: version(schema, "a2a.schema.json"),
        operations: version(table, "operations.json"),
      },
    ]);
  const [spec] = load();
  assert.ok(spec && emitGrpc(spec).includes('package: "tiny.v1"'));
  for (const definition of Object.values<any>(schema.$defs))
    for (const property of Object.values<any>(definition.properties ?? {})) delete property["x-number"];
  assert.throws(
    load,
    (error) => error instanceof SchemaError && error.message.includes("needs a schema with field numbers"),
  );
});
