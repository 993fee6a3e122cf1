import assert from "node:assert/strict";
import { test } from "vitest";
import { assertRefused, type Refusal } from "./refusal.js";
import { type Json, refusals } from "./tiny.js";

const item = "/$defs/Item";
const member = `${item}/properties`;

/** Sets the keywords of one member of Item. */
function set(name: string, keywords: Json): (schema: Json) => void {
  return (schema) => Object.assign(schema.$defs.Item.properties[name], keywords);
}

const documentRefusals: readonly Refusal[] = [
  [
    "another dialect",
    (s) => {
      s.$schema = "http://json-schema.org/draft-07/schema#";
    },
    '/$schema: must be "https://json-schema.org/draft/2020-12/schema"',
  ],
  [
    "an unknown keyword of the document",
    (s) => {
      s.definitions = {};
    },
    '/definitions: unknown keyword "definitions"',
  ],
  [
    "a missing title",
    (s) => {
      s.title = undefined;
    },
    '/title: "title" is missing',
  ],
  [
    "a name that generated files need",
    (s) => {
      s.$defs.ErrorInfo = { type: "object", description: "X.", properties: {} };
    },
    '/$defs/ErrorInfo: type name "ErrorInfo" is reserved for generated files',
  ],
];

const messageRefusals: readonly Refusal[] = [
  [
    "a closed object",
    (s) => {
      s.$defs.Item.additionalProperties = false;
    },
    `${item}/additionalProperties: unknown keyword "additionalProperties"`,
  ],
  [
    "another type",
    (s) => {
      s.$defs.Item.type = "array";
    },
    `${item}/type: must be "object"`,
  ],
  [
    "no properties",
    (s) => {
      s.$defs.Choice = { type: "object", description: "X." };
    },
    "/$defs/Choice/properties: must be an object",
  ],
  [
    "a definition that is no object",
    (s) => {
      s.$defs.Extra = [];
    },
    "/$defs/Extra: must be an object",
  ],
  [
    "a description that closes a comment",
    (s) => {
      s.$defs.Item.description = "a */ b";
    },
    `${item}/description: must not contain "*/"`,
  ],
  [
    "a required member that does not exist",
    (s) => {
      s.$defs.Item.required.push("ghost");
    },
    `${item}/required/2: "ghost" is not a property`,
  ],
  [
    "a member required twice",
    (s) => {
      s.$defs.Item.required.push("id");
    },
    `${item}/required/2: "id" is listed twice`,
  ],
  [
    "a required list of other things",
    (s) => {
      s.$defs.ItemRequest.required = "id";
    },
    "/$defs/ItemRequest/required: must be a list of names",
  ],
  [
    "a field number used twice",
    set("color", { "x-number": 1 }),
    `${member}/color/x-number: field number "1" is used twice`,
  ],
  [
    "a message that requires itself",
    (s) => {
      s.$defs.Item.properties.inner = { description: "X.", "x-number": 50, $ref: "#/$defs/Item" };
      s.$defs.Item.required.push("inner");
    },
    `${item}: requires itself, so it has no finite value`,
  ],
];

const enumRefusals: readonly Refusal[] = [
  [
    "a fallback that is no value",
    (s) => {
      s.$defs.Color["x-enum-fallbacks"] = { RED: "PINK" };
    },
    '/$defs/Color/x-enum-fallbacks/RED: "PINK" is not a value of the enum',
  ],
  [
    "a fallback that needs one",
    (s) => {
      s.$defs.Color["x-enum-fallbacks"] = { "*": "RED", RED: s.$defs.Color.enum[0] };
    },
    '/$defs/Color/x-enum-fallbacks/*: "RED" needs a fallback itself',
  ],
  [
    "a value with a blank",
    (s) => {
      s.$defs.Color.enum[1] = "RED ONE";
    },
    '/$defs/Color/enum/1: "RED ONE" does not match ^[A-Za-z][A-Za-z0-9_+-]*$',
  ],
  [
    "too few numbers",
    (s) => {
      s.$defs.Color["x-enum-numbers"].pop();
    },
    "/$defs/Color/x-enum-numbers: must list one number per value",
  ],
  [
    "a number used twice",
    (s) => {
      s.$defs.Color["x-enum-numbers"][2] = 1;
    },
    '/$defs/Color/x-enum-numbers/2: number "1" is used twice',
  ],
  [
    "a value without a text",
    (s) => {
      s.$defs.Color["x-enum-descriptions"].RED = undefined;
    },
    '/$defs/Color/x-enum-descriptions/RED: "RED" is missing',
  ],
  [
    "a text without a value",
    (s) => {
      s.$defs.Color["x-enum-descriptions"].GREEN = "Like grass.";
    },
    '/$defs/Color/x-enum-descriptions/GREEN: unknown keyword "GREEN"',
  ],
  [
    "a text that closes a comment",
    (s) => {
      s.$defs.Color["x-enum-descriptions"].RED = "*/";
    },
    '/$defs/Color/x-enum-descriptions/RED: must not contain "*/"',
  ],
  [
    "an unknown keyword",
    (s) => {
      s.$defs.Color.default = "RED";
    },
    '/$defs/Color/default: unknown keyword "default"',
  ],
  [
    "a value listed twice",
    (s) => {
      s.$defs.Color.enum.push("RED");
    },
    '/$defs/Color/enum/3: "RED" is listed twice',
  ],
];

for (const refusal of [documentRefusals, messageRefusals, enumRefusals].flat()) {
  test(`codegen refuses ${refusal[0]}`, () => assertRefused(refusal));
}

test("a document without definitions and one that is no object are refused", () => {
  assert.match(
    refusals(({ schema }) => {
      schema.$defs = {};
    })[0] ?? "",
    /^schema\.json#\/\$defs: has no definition$/,
  );
  assert.match(
    refusals((documents) => Object.assign(documents, { schema: [] }))[0] ?? "",
    /^schema\.json#: must be an object$/,
  );
});
