import { test } from "vitest";
import { assertRefused, type Refusal } from "./refusal.js";

const refusals: readonly Refusal[] = [
  [
    "a branch of another shape",
    (s) => {
      s.$defs.Choice.oneOf[1] = { type: "object", required: ["value"] };
    },
    '/$defs/Choice/oneOf/1: a branch must be {"required": [<one member>]} and nothing else',
  ],
  [
    "a branch of two members",
    (s) => {
      s.$defs.Choice.oneOf[1].required.push("note");
    },
    '/$defs/Choice/oneOf/1: a branch must be {"required": [<one member>]} and nothing else',
  ],
  [
    "a branch without a member",
    (s) => {
      s.$defs.Choice.oneOf[1].required = ["ghost"];
    },
    '/$defs/Choice/oneOf/1: "ghost" is not a property',
  ],
  [
    "a branch listed twice",
    (s) => {
      s.$defs.Choice.oneOf[1].required = ["word"];
    },
    '/$defs/Choice/oneOf/1: branch "word" is used twice',
  ],
  [
    "a single branch",
    (s) => {
      s.$defs.Choice.oneOf.pop();
    },
    "/$defs/Choice/oneOf: must list at least two branches",
  ],
  [
    "a group without a name",
    (s) => {
      s.$defs.Choice["x-oneof"] = undefined;
    },
    '/$defs/Choice/x-oneof: "x-oneof" is missing',
  ],
  [
    "a name without a group",
    (s) => {
      s.$defs.Item["x-oneof"] = "content";
    },
    `/$defs/Item/x-oneof: names a group, but there is no oneOf`,
  ],
  [
    "a last branch that says something else than none",
    (s) => {
      s.$defs.Choice.oneOf.push({ not: { anyOf: [{ required: ["word"] }] } });
    },
    '/$defs/Choice/oneOf/2: must be {"not": {"anyOf": <the other branches>}}',
  ],
  [
    "further groups without a first one",
    (s) => {
      s.$defs.Item.allOf = [{ "x-oneof": "a", oneOf: [{ required: ["id"] }, { required: ["old"] }] }];
    },
    `/$defs/Item/allOf: must be a list of further groups beside oneOf`,
  ],
  [
    "a further group that is none",
    (s) => {
      s.$defs.Choice.allOf = [{}];
    },
    "/$defs/Choice/allOf/0: must be a group",
  ],
  [
    "a member of two groups",
    (s) => {
      s.$defs.Choice.allOf = [
        { "x-oneof": "other", oneOf: [{ required: ["word"] }, { required: ["note"] }] },
      ];
    },
    '/$defs/Choice/allOf: member of groups "word" is used twice',
  ],
  [
    "two groups of one name",
    (s) => {
      const texts = { x: { ...s.$defs.Choice.properties.note, "x-number": 4 } };
      Object.assign(s.$defs.Choice.properties, texts);
      s.$defs.Choice.allOf = [{ "x-oneof": "content", oneOf: [{ required: ["x"] }, { required: ["note"] }] }];
    },
    '/$defs/Choice/allOf/0: group "content" is used twice',
  ],
  [
    "a required member of a group",
    (s) => {
      s.$defs.Choice.required = ["word"];
    },
    '/$defs/Choice/required/0: "word" is already in the group "content"',
  ],
  [
    "a type with the name of a branch",
    (s) => {
      s.$defs.ChoiceWord = { type: "object", description: "X.", properties: {} };
    },
    '/$defs/ChoiceWord: name is needed for the branch "word" of Choice',
  ],
];

for (const refusal of refusals) test(`codegen refuses ${refusal[0]}`, () => assertRefused(refusal));
