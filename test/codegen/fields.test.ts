import assert from "node:assert/strict";
import { test } from "vitest";
import { emitErrors } from "../../codegen/emit/errors.js";
import { emitFallbacks } from "../../codegen/emit/fallbacks.js";
import { emitFields } from "../../codegen/emit/fields.js";
import { enums, messages } from "../../generated/v1.0/fields.js";
import { tinySpec } from "./tiny.js";

const text = emitFields(tinySpec());

for (const line of [
  'export type MessageName = "Item" | "Choice" | "ItemRequest";',
  'export type EnumName = "Color";',
  '{ name: "id", number: 1, kind: "string", required: true },',
  '{ name: "color", number: 2, kind: "enum", type: "Color" },',
  '{ name: "size", number: 3, kind: "int32" },',
  '{ name: "sold", number: 6, kind: "bool", explicit: true },',
  '{ name: "choices", number: 8, kind: "message", type: "Choice", repeated: true, required: true },',
  '{ name: "labels", number: 9, kind: "string", map: true },',
  '{ name: "value", number: 2, kind: "any", oneof: "content" },',
  "RED: 1,",
]) {
  test(`the field table has ${line}`, () => assert.ok(text.split("\n").some((row) => row.trim() === line)));
}

test("an enum value that is no identifier is quoted", () => {
  const quoted = emitFields(
    tinySpec(({ schema }) => {
      schema.$defs.Color.enum[2] = "sky-blue";
      schema.$defs.Color["x-enum-descriptions"] = {
        COLOR_UNSPECIFIED: "None.",
        RED: "Fire.",
        "sky-blue": "Sky.",
      };
    }),
  );
  assert.match(quoted, /^ +"sky-blue": 2,$/m);
});

test("fallbacks of new values and errors are told, those for values to come are not", () => {
  const spec = tinySpec(({ schema, operations }) => {
    schema.$defs.Color["x-enum-fallbacks"] = { "*": "RED", [schema.$defs.Color.enum[2]]: "RED" };
    operations.errors[1].fallback = "UNSUPPORTED_OPERATION";
  });
  const last = spec.enums[0]?.values[2]?.name;
  const text = emitFallbacks(spec);
  assert.match(text, new RegExp(`^ +Color: \\{ ${last}: "RED" \\},$`, "m"));
  assert.match(text, /^export const errorFallbacks = \{ NO_ITEM: "UNSUPPORTED_OPERATION" \} as const/m);
});

test("the 1.0 table tells types that it also holds", () => {
  const types = Object.values(messages).flatMap((fields) =>
    fields.flatMap((field) => ("type" in field ? [field.type] : [])),
  );
  for (const type of types) assert.ok(type in messages || type in enums, type);
});

test("the error table says what the schema says", () => {
  const errors = emitErrors(tinySpec());
  assert.match(errors, /export type ErrorCode = "UNSUPPORTED_OPERATION" \| "NO_ITEM";/);
  assert.match(
    errors,
    /\/\*\* About NO_ITEM\. \*\/\n +NO_ITEM: \{ name: "NoItemError", jsonRpcCode: -32001, httpStatus: 404,/,
  );
});
