import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { emitFixtures, type TypeFixtures, typeFixtures } from "../../codegen/emit/fixtures.js";
import { emitValidators } from "../../codegen/emit/validators.js";
import * as firstValidators from "../../generated/v0.1/validators.js";
import type { ValidationError } from "../../generated/v1.0/validators.js";
import * as validators from "../../generated/v1.0/validators.js";
import { dottedPath, type Guard, importEmitted } from "./import-emitted.js";
import { tinySpec } from "./tiny.js";

const spec = tinySpec();
const released = (version: string): Record<string, TypeFixtures> =>
  JSON.parse(readFileSync(new URL(`../../generated/v${version}/fixtures.json`, import.meta.url), "utf8"));
const tiny: Record<string, TypeFixtures> = JSON.parse(emitFixtures(spec));
const tinyGuards = await importEmitted(emitValidators(spec));

for (const [title, fixtures, guards, enums] of [
  ["tiny", tiny, tinyGuards, ["isColor"]],
  ["0.1", released("0.1"), firstValidators as Readonly<Record<string, Guard>>, ["isRole", "isTaskState"]],
  ["1.0", released("1.0"), validators as Readonly<Record<string, Guard>>, ["isRole", "isTaskState"]],
] as const) {
  test(`${title}: every guard but those of enums has fixtures`, () => {
    assert.deepEqual(
      Object.keys(fixtures)
        .map((type) => `is${type}`)
        .concat(enums)
        .sort(),
      Object.keys(guards).sort(),
    );
  });

  for (const [type, { valid, invalid }] of Object.entries(fixtures)) {
    const guard = guards[`is${type}`];
    assert.ok(guard);
    test(`${title}: the guard of ${type} takes its ${valid.length} valid payloads`, () => {
      for (const { name, value } of valid)
        assert.ok(guard(value), `${name}: ${JSON.stringify(guard.errors)}`);
    });
    test(`${title}: the guard of ${type} refuses its ${invalid.length} invalid payloads at their paths`, () => {
      for (const { name, value, path, rule } of invalid) {
        assert.equal(guard(value), false, name);
        const error: ValidationError | undefined = guard.errors?.[0];
        assert.ok(error, name);
        assert.deepEqual({ path: dottedPath(error), rule: error.keyword }, { path, rule }, name);
      }
    });
    test(`${title}: the payloads of ${type} have distinct names and are bounded in number`, () => {
      for (const list of [valid, invalid]) {
        assert.equal(new Set(list.map(({ name }) => name)).size, list.length);
        assert.ok(list.length > 0 && list.length < 200);
      }
    });
  }
}

test("the payloads of a type cover each branch, each enum value, the edges and each kind of fault", () => {
  const { valid, invalid } = typeFixtures(spec, "Item");
  const names = valid.map(({ name }) => name);
  for (const name of ["minimal", "full", 'color is "RED"', 'color is "BLUE"', "size is 1", "size is 9"]) {
    assert.ok(names.includes(name), name);
  }
  const choices = typeFixtures(spec, "Choice").valid.map(({ name }) => name);
  for (const name of ["with word", "with value", "value is null"]) assert.ok(choices.includes(name), name);
  assert.ok(!names.includes('color is "COLOR_UNSPECIFIED"'));
  const faults = invalid.map(({ path, rule }) => `${path} ${rule}`);
  for (const fault of [
    " type",
    "id required",
    "id type",
    "id minLength",
    "color enum",
    "size minimum",
    "size maximum",
    "image format",
    "made format",
    "sold type",
    "extra type",
    "choices minItems",
    "choices[1] type",
    "choices[1] exactlyOne",
    "labels.key type",
  ]) {
    assert.ok(faults.includes(fault), fault);
  }
});

test("a type that other types contain gives only its first and last fault there", () => {
  const contained =
    released("1.0").StreamResponse?.invalid.filter(({ name }) => name.startsWith("task: ")) ?? [];
  assert.equal(contained.length, 2);
});

test("a type that leads back to itself through a group still has finite payloads", () => {
  const endless = tinySpec(({ schema }) => {
    const tree = { $ref: "#/$defs/Tree" };
    schema.$defs.Tree = {
      type: "object",
      description: "A tree.",
      properties: {
        fork: { description: "Branches.", "x-number": 1, $ref: "#/$defs/Fork" },
        leaf: { description: "The end.", "x-number": 2, type: "string" },
      },
      "x-oneof": "node",
      oneOf: [{ required: ["fork"] }, { required: ["leaf"] }],
    };
    schema.$defs.Fork = {
      type: "object",
      description: "Two trees.",
      properties: {
        left: { description: "One.", "x-number": 1, ...tree },
        right: { description: "Two.", "x-number": 2, ...tree },
      },
      required: ["left", "right"],
    };
    schema.$defs.Item.properties.tree = { description: "X.", "x-number": 40, type: "array", items: tree };
  }).messages;
  const { valid } = typeFixtures({ ...spec, messages: endless }, "Tree");
  assert.deepEqual(valid[0]?.value, { fork: { left: { leaf: "leaf-1" }, right: { leaf: "leaf-1" } } });
});
