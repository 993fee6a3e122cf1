import assert from "node:assert/strict";
import { test } from "vitest";
import { emitClient } from "../../codegen/emit/client.js";
import { emitHandler } from "../../codegen/emit/handler.js";
import { emitOperations } from "../../codegen/emit/operations.js";
import { emitReceived, receivedType, typesWithEnums } from "../../codegen/emit/received.js";
import { type Documents, tinySpec } from "./tiny.js";

/** The tiny contract, in which a request has no enum. */
const withoutColors = ({ schema }: Documents) => delete schema.$defs.ItemRequest.properties.colors;

test("a type has an enum when one of its members has, at any depth", () => {
  assert.deepEqual([...typesWithEnums(tinySpec(withoutColors))], ["Item"]);
  const deeper = tinySpec((documents) => {
    withoutColors(documents);
    documents.schema.$defs.Choice.properties.items = {
      description: "Items.",
      "x-number": 30,
      type: "array",
      items: { $ref: "#/$defs/Item" },
    };
  });
  assert.deepEqual([...typesWithEnums(deeper)].sort(), ["Choice", "Item"]);
});

test("a type that only refers to itself has none", () => {
  const cyclic = tinySpec((documents) => {
    withoutColors(documents);
    documents.schema.$defs.Choice.properties.nested = {
      description: "Again.",
      "x-number": 30,
      $ref: "#/$defs/Choice",
    };
  });
  assert.deepEqual([...typesWithEnums(cyclic)], ["Item"]);
});

test("a version without enums has no open types", () => {
  const plain = tinySpec((documents) => {
    withoutColors(documents);
    delete documents.schema.$defs.Item.properties.color;
    delete documents.schema.$defs.Color;
  });
  const text = emitReceived(plain);
  assert.match(text, /type EnumValue = never;/);
  assert.doesNotMatch(text, /import/);
});

test("answers with enums are received as open types, by the client and from a handler", () => {
  const spec = tinySpec();
  assert.equal(receivedType("Item", typesWithEnums(spec)), "Received<Item>");
  assert.equal(receivedType("Choice", typesWithEnums(spec)), "Choice");
  assert.equal(receivedType(null, typesWithEnums(spec)), "null");
  assert.match(emitOperations(spec), /request: ItemRequest; response: Item; received: Received<Item>;/);
  for (const text of [emitClient(spec), emitHandler(spec)]) {
    assert.match(text, /\(request: ItemRequest,[^)]*\): Promise<Received<Item>>/);
  }
});
