import assert from "node:assert/strict";
import { test } from "vitest";
import { readGrpc } from "../../codegen/normalize/grpc.js";
import type { Problem } from "../../codegen/problems.js";

const empty = { service: "a.v1.S", methods: {}, enums: { E: ["E_UNSPECIFIED", "E_ONE"] }, messages: {} };

function problemsOf(more: object): string[] {
  const problems: Problem[] = [];
  readGrpc({ file: "grpc.json", content: { ...empty, ...more } }, problems);
  return problems.map(({ pointer, reason }) => `${pointer}: ${reason}`);
}

test("a member of a message is read from its line", () => {
  const problems: Problem[] = [];
  const messages = { M: { a: "repeated string 1", b: "map M 2", c: "E 3 of one as other", d: "M 4 of one" } };
  const [message] = readGrpc({ file: "grpc.json", content: { ...empty, messages } }, problems).messages;
  assert.deepEqual(problems, []);
  assert.deepEqual(
    message?.fields.map(({ kind, type, container, number, oneof, nameInProto }) => [
      kind,
      type,
      container,
      number,
      oneof,
      nameInProto,
    ]),
    [
      ["string", undefined, "list", 1, undefined, undefined],
      ["message", "M", "map", 2, undefined, undefined],
      ["enum", "E", "single", 3, "one", "other"],
      ["message", "M", "single", 4, "one", undefined],
    ],
  );
  assert.deepEqual(message?.oneofs, [{ name: "one", members: ["c", "d"], required: false }]);
});

test("a service that cannot be read is refused, with what is wrong and where", () => {
  assert.deepEqual(problemsOf({}), []);
  assert.deepEqual(problemsOf({ service: "S" }), ["/service: must be package.Service"]);
  assert.deepEqual(problemsOf({ messages: [] }), ["/messages: must be an object"]);
  assert.deepEqual(problemsOf({ messages: { M: { a: "string" } } }), [
    "/messages/M/a: must be a type and a number, such as `repeated Part 5`",
  ]);
  assert.deepEqual(problemsOf({ messages: { M: { a: "Other 1" } } }), [
    "/messages/M/a: names the unknown type Other",
  ]);
  assert.deepEqual(problemsOf({ messages: { M: { a: "string 1", b: "string 1" } } }), [
    "/messages/M: uses a field number twice",
  ]);
  const methods = { Do: { operation: "GetTask", request: "M", response: null } };
  assert.deepEqual(problemsOf({ methods }), ["/methods/Do: names the unknown message M"]);
});
