import assert from "node:assert/strict";
import { Project } from "ts-morph";
import { test } from "vitest";
import { emitModels } from "../../codegen/emit/models.js";
import { tinySpec } from "./tiny.js";

const spec = tinySpec();
const text = await emitModels(spec);
const file = new Project({ useInMemoryFileSystem: true }).createSourceFile("models.ts", text);

test("every type and every branch of a group is declared once, and nothing else", () => {
  const names = [...file.getInterfaces(), ...file.getTypeAliases()].map((declaration) =>
    declaration.getName(),
  );
  assert.deepEqual(names.sort(), [
    "Choice",
    "ChoiceValue",
    "ChoiceWord",
    "Color",
    "Item",
    "ItemRequest",
    "ProtocolTypes",
    "Timestamp",
  ]);
  assert.ok(
    [...file.getInterfaces(), ...file.getTypeAliases()].every((declaration) => declaration.isExported()),
  );
});

for (const [type, member, expected] of [
  ["Item", "id", "id: string;"],
  ["Item", "color", "color?: Color;"],
  ["Item", "size", "size?: number;"],
  ["Item", "image", "image?: string;"],
  ["Item", "sold", "sold?: boolean;"],
  ["Item", "choices", "choices: Choice[];"],
  ["Item", "extra", "extra?: { [k: string]: unknown; };"],
  ["Item", "labels", "labels?: { [k: string]: string; };"],
  ["Item", "parts", "parts?: { [k: string]: Item; };"],
  ["ChoiceWord", "word", "word: string;"],
  ["ChoiceWord", "value", "value?: never;"],
  ["ChoiceValue", "value", "value: unknown;"],
  ["ChoiceValue", "note", "note?: string;"],
  ["ProtocolTypes", "Item", "Item: Item;"],
] as const) {
  test(`${type}.${member} is declared as ${expected}`, () => {
    const property = file.getInterfaceOrThrow(type).getPropertyOrThrow(member);
    assert.equal(property.getText().replace(/\s+/g, " "), expected);
  });
}

test("no object type has an index signature", () => {
  for (const declaration of file.getInterfaces()) assert.equal(declaration.getIndexSignatures().length, 0);
});

test("a group is a union of its branches and an enum a union of its names", () => {
  assert.equal(file.getTypeAliasOrThrow("Choice").getTypeNodeOrThrow().getText(), "ChoiceWord | ChoiceValue");
  assert.equal(
    file.getTypeAliasOrThrow("Color").getTypeNodeOrThrow().getText(),
    '"COLOR_UNSPECIFIED" | "RED" | "BLUE"',
  );
});

test("descriptions and deprecations of the schema are doc comments", () => {
  const [item, old] = [
    file.getInterfaceOrThrow("Item"),
    file.getInterfaceOrThrow("Item").getPropertyOrThrow("old"),
  ];
  assert.equal(item.getJsDocs()[0]?.getDescription().trim(), "A thing.");
  assert.deepEqual(
    old
      .getJsDocs()[0]
      ?.getTags()
      .map((tag) => tag.getTagName()),
    ["deprecated"],
  );
  assert.match(
    file.getTypeAliasOrThrow("Color").getJsDocs()[0]?.getDescription() ?? "",
    /- `BLUE`: Like water\./,
  );
});

test("a definition that only others use with a description is not doubled", async () => {
  const more = await emitModels(
    tinySpec(({ schema }) => {
      for (let number = 20; number < 25; number++) {
        schema.$defs.Item.properties[`choice${number}`] = {
          description: `Text ${number}.`,
          "x-number": number,
          $ref: "#/$defs/Choice",
        };
      }
    }),
  );
  assert.doesNotMatch(more, /Choice\d/);
  assert.match(more, /choice20\?: Choice;/);
});
