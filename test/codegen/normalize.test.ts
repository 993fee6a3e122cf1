import assert from "node:assert/strict";
import { test } from "vitest";
import { normalize } from "../../codegen/normalize.js";
import { loaded, refusals, tinyDocuments, tinySpec } from "./tiny.js";

test("a member becomes a field: number, kind, container, limits, presence and group", () => {
  const { messages } = tinySpec();
  const fields = new Map(
    messages.flatMap((message) => message.fields.map((field) => [`${message.name}.${field.name}`, field])),
  );
  const base = { deprecated: false, container: "single", required: false, explicit: false };
  const expected = {
    "Item.id": { ...base, number: 1, description: "Its name.", kind: "string", minLength: 1, required: true },
    "Item.color": { ...base, number: 2, description: "Its color.", kind: "enum", type: "Color" },
    "Item.size": { ...base, number: 3, description: "Its size.", kind: "int32", minimum: 1, maximum: 9 },
    "Item.image": { ...base, number: 4, description: "Its picture.", kind: "bytes" },
    "Item.made": { ...base, number: 5, description: "When it was made.", kind: "timestamp" },
    "Item.sold": { ...base, number: 6, description: "Whether it is gone.", kind: "bool", explicit: true },
    "Item.extra": { ...base, number: 7, description: "Anything.", kind: "struct" },
    "Item.choices": {
      ...base,
      number: 8,
      description: "Options.",
      kind: "message",
      type: "Choice",
      container: "list",
      minItems: 1,
      required: true,
    },
    "Item.labels": { ...base, number: 9, description: "Labels.", kind: "string", container: "map" },
    "Item.parts": {
      ...base,
      number: 10,
      description: "Things inside.",
      kind: "message",
      type: "Item",
      container: "map",
    },
    "Item.old": { ...base, number: 11, description: "A text.", kind: "string", deprecated: true },
    "Choice.word": { ...base, number: 1, description: "A text.", kind: "string", oneof: "content" },
    "Choice.value": { ...base, number: 2, description: "Any JSON.", kind: "any", oneof: "content" },
    "Choice.note": { ...base, number: 3, description: "A text.", kind: "string" },
    "ItemRequest.limit": {
      ...base,
      number: 3,
      description: "How many.",
      kind: "int32",
      minimum: -2147483648,
      maximum: 2147483647,
    },
  };
  for (const [name, field] of Object.entries(expected)) {
    assert.deepEqual(fields.get(name), { name: name.split(".")[1], ...field }, name);
  }
});

test("groups, enums, routes, errors and the order of the schema are kept", () => {
  const spec = tinySpec();
  assert.deepEqual(
    spec.messages.map(({ name }) => name),
    ["Item", "Choice", "ItemRequest"],
  );
  assert.deepEqual(spec.messages[1]?.oneofs, [
    { name: "content", members: ["word", "value"], required: true },
  ]);
  assert.deepEqual(spec.enums[0]?.values[1], { name: "RED", number: 1, description: "Like fire." });
  assert.deepEqual(spec.operations[0]?.http[1], {
    verb: "GET",
    path: "/{tenant}/items/{id}",
    variables: ["tenant", "id"],
  });
  assert.deepEqual(spec.commonErrors, ["UNSUPPORTED_OPERATION"]);
  assert.equal(spec.errors[1]?.jsonRpcHttpStatus, 200);
  assert.equal(spec.protocolVersion, "7.1");
});

test("all messages, unions and containers get a guard, in schema order", () => {
  assert.deepEqual(tinySpec().guarded, ["Item", "Choice", "ItemRequest"]);
  const withPart = tinySpec(({ schema }) => {
    schema.$defs.Part = { type: "object", description: "A part.", properties: {} };
  });
  assert.deepEqual(withPart.guarded, ["Item", "Choice", "ItemRequest", "Part"]);
});

test("normalize leaves its input as it was", () => {
  const documents = tinyDocuments();
  normalize([loaded(documents)]);
  assert.deepEqual(documents, tinyDocuments());
});

test("every problem of every file is reported at once, with file and JSON pointer", () => {
  const lines = refusals(({ schema, operations }) => {
    schema.$defs.Item.properties.id.pattern = "^a";
    schema.$defs["a/b~c"] = { type: "object", description: "Odd.", properties: {} };
    operations.operations[1].request = "Nothing";
    operations.operations[2].errors = ["NO_SUCH_CODE"];
  });
  assert.deepEqual(lines, [
    'schema.json#/$defs/Item/properties/id/pattern: unknown keyword "pattern"',
    'schema.json#/$defs/a~1b~0c: type name "a/b~c" is not in PascalCase',
    'operations.json#/operations/1/request: "Nothing" is not a message of the schema',
    'operations.json#/operations/2/errors/0: "NO_SUCH_CODE" is not a code of the error table',
  ]);
});

test("a version in the wrong folder is refused", () => {
  const lines = refusals(({ schema, operations }) => {
    schema["x-protocol-version"] = "7.2";
    operations.protocolVersion = "7.3";
  });
  assert.deepEqual(lines, [
    'schema.json#/x-protocol-version: is "7.2" in folder v7.1',
    'operations.json#/protocolVersion: is "7.3" in folder v7.1',
  ]);
});
