import assert from "node:assert/strict";
import { test } from "vitest";
import { type Json, refusals } from "./tiny.js";

/** A change to the schema, and the one line with which it is refused. */
type Refusal = readonly [what: string, change: (schema: Json) => void, line: string];

const member = "/$defs/Item/properties";

/** Sets the keywords of one member of Item. */
function set(name: string, keywords: Json): (schema: Json) => void {
  return (schema) => Object.assign(schema.$defs.Item.properties[name], keywords);
}

const fieldRefusals: readonly Refusal[] = [
  [
    "a dangling reference",
    set("color", { $ref: "#/$defs/Paint" }),
    `${member}/color/$ref: "#/$defs/Paint" points at no definition of this file`,
  ],
  [
    "a reference to another file",
    set("color", { $ref: "other.json" }),
    `${member}/color/$ref: "other.json" points at no definition of this file`,
  ],
  [
    "a reference with a type",
    set("color", { type: "string" }),
    `${member}/color/type: a reference has no type keyword`,
  ],
  [
    "an unknown type",
    set("id", { type: "null", minLength: undefined }),
    `${member}/id/type: shape is not understood: type "null"`,
  ],
  [
    "a list of types",
    set("sold", { type: ["boolean", "null"] }),
    `${member}/sold/type: shape is not understood: type ["boolean","null"]`,
  ],
  [
    "an unknown format",
    set("image", { format: "uri" }),
    `${member}/image/format: unknown format "uri" of a string`,
  ],
  [
    "an integer without a format",
    set("size", { format: undefined }),
    `${member}/size/format: an integer needs format "int32" or "uint32"`,
  ],
  ["an upside-down range", set("size", { minimum: 10 }), `${member}/size/minimum: is above maximum`],
  [
    "a limit beyond int32",
    set("size", { maximum: 2147483648 }),
    `${member}/size/maximum: must be an integer from -2147483648 to 2147483647`,
  ],
  [
    "a limit on the wrong shape",
    set("sold", { minimum: 0 }),
    `${member}/sold/minimum: "minimum" does not apply to this shape`,
  ],
  [
    "a length of bytes",
    set("image", { minLength: 1 }),
    `${member}/image/minLength: "minLength" does not apply to this shape`,
  ],
  [
    "minItems of a map",
    set("labels", { minItems: 1 }),
    `${member}/labels/minItems: only a list has minItems`,
  ],
  [
    "a list without items",
    set("choices", { items: undefined }),
    `${member}/choices/items: "items" is missing`,
  ],
  ["items of a string", set("id", { items: {} }), `${member}/id/items: only a list has items`],
  [
    "values of a string",
    set("id", { additionalProperties: {} }),
    `${member}/id/additionalProperties: only a map has additionalProperties`,
  ],
  [
    "a list of lists",
    set("choices", { items: { type: "array", items: {} } }),
    `${member}/choices/items/items: unknown keyword "items"`,
  ],
  [
    "a map that is closed",
    set("labels", { additionalProperties: false }),
    `${member}/labels/additionalProperties: must be an object`,
  ],
  [
    "any value of another name",
    set("extra", { "x-type": "anything", type: undefined }),
    `${member}/extra/x-type: must be "any"`,
  ],
  [
    "any value with a type",
    set("extra", { "x-type": "any" }),
    `${member}/extra/type: a value of any type has no type keyword`,
  ],
  ["no field number", set("id", { "x-number": undefined }), `${member}/id/x-number: "x-number" is missing`],
  [
    "a field number of 0",
    set("id", { "x-number": 0 }),
    `${member}/id/x-number: must be an integer from 1 to 536870911`,
  ],
  [
    "another presence",
    set("sold", { "x-presence": "implicit" }),
    `${member}/sold/x-presence: must be "explicit"`,
  ],
  [
    "a deprecation in words",
    set("old", { deprecated: "yes" }),
    `${member}/old/deprecated: must be true or false`,
  ],
  ["no description", set("id", { description: "" }), `${member}/id/description: must be a non-empty string`],
  [
    "a snake_case name",
    (s) => {
      s.$defs.Item.properties.snake_case = { description: "X.", "x-number": 60, type: "string" };
    },
    `${member}/snake_case: member name "snake_case" is not in camelCase`,
  ],
];

for (const [what, change, line] of fieldRefusals) {
  test(`codegen refuses ${what}`, () => {
    const lines = refusals(({ schema }) => change(schema));
    assert.ok(
      lines.includes(`schema.json#${line}`),
      `expected\n  schema.json#${line}\ngot\n  ${lines.join("\n  ")}`,
    );
  });
}
