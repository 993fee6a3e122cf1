import assert from "node:assert/strict";
import { transform } from "esbuild";
import { test } from "vitest";
import { emitErrors } from "../../codegen/emit/errors.js";
import { emitFallbacks } from "../../codegen/emit/fallbacks.js";
import { emitFields } from "../../codegen/emit/fields.js";
import { emitStringFormats } from "../../codegen/emit/string-formats.js";
import { enums, type Field, type MessageName, memberTexts } from "../../generated/v1.0/fields.js";
import { readFields } from "../../src/protocol/fields.js";
import { importEmitted } from "./import-emitted.js";
import { tinySpec } from "./tiny.js";

const messages = readFields<MessageName, Field>(memberTexts, enums);
const text = emitFields(tinySpec());

for (const line of [
  'export type MessageName = "Item" | "Choice" | "ItemRequest";',
  'export type EnumName = "Color";',
  'Item: "id(1)! color:Color size:int32(1,9) image:bytes made:timestamp sold:bool? extra:struct choices:Choice[1]! labels{} parts:Item{} old",',
  'Choice: "word<content> value:any<content> note",',
  "RED: 1,",
]) {
  test(`the field table has ${line}`, () => assert.ok(text.split("\n").some((row) => row.trim() === line)));
}

test("the table is data alone", () => {
  assert.doesNotMatch(text, /function|=>|new |\/[\^(]/);
  assert.match(text, /^export const memberTexts: Readonly<Record<MessageName, string>> = \{$/m);
});

test("the rows of the table are the members of the schema, with their rules", async () => {
  const { code } = await transform(text, { loader: "ts", format: "esm" });
  const tables = (await importEmitted(code)) as unknown as typeof import("../../generated/v1.0/fields.js");
  const { Item } = readFields(tables.memberTexts as Readonly<Record<string, string>>, tables.enums);
  assert.deepEqual(Item, [
    { name: "id", kind: "string", min: 1, required: true },
    { name: "color", kind: "enum", type: "Color" },
    { name: "size", kind: "int32", min: 1, max: 9 },
    { name: "image", kind: "bytes" },
    { name: "made", kind: "timestamp" },
    { name: "sold", kind: "bool", explicit: true },
    { name: "extra", kind: "struct" },
    { name: "choices", kind: "message", type: "Choice", repeated: true, minItems: 1, required: true },
    { name: "labels", kind: "string", map: true },
    { name: "parts", kind: "message", type: "Item", map: true },
    { name: "old", kind: "string" },
  ]);
});

test("the canonical forms of strings are those of the kinds in use", () => {
  const formats = emitStringFormats(tinySpec());
  assert.match(formats, /^ +bytes: \{ name: "byte", pattern: \/.*\/, lengthUnit: 4 \},$/m);
  assert.match(formats, /^ +timestamp: \{ name: "date-time", /m);
  assert.doesNotMatch(formats, /int64/);
});

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
  const text = emitFallbacks(spec, spec);
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
