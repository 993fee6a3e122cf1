import assert from "node:assert/strict";
import { Project } from "ts-morph";
import { test } from "vitest";
import { typesPage } from "../../codegen/docs/types-page.js";
import { emitFields } from "../../codegen/emit/fields.js";
import { typeFixtures } from "../../codegen/emit/fixtures.js";
import { emitModels } from "../../codegen/emit/models.js";
import { emitOpenapi } from "../../codegen/emit/openapi.js";
import { emitValidators } from "../../codegen/emit/validators.js";
import type { ValidationError } from "../../generated/v1.0/validators.js";
import { violationOf } from "../../src/json/violation.js";
import { readFields } from "../../src/protocol/fields.js";
import { type FieldRow, protoJsonReader } from "../../src/versions/proto-json.js";
import { dottedPath, importEmitted } from "./import-emitted.js";
import { tinySpec } from "./tiny.js";

const group = (name: string, ...members: string[]) => {
  const branches = members.map((member) => ({ required: [member] }));
  return { "x-oneof": name, oneOf: branches };
};
const optional = (name: string, ...members: string[]) => {
  const { oneOf } = group(name, ...members);
  return { "x-oneof": name, oneOf: [...oneOf, { not: { anyOf: oneOf } }] };
};

/** A message with two groups of which one member has to be present, and one of which none may. */
const spec = tinySpec(({ schema }) => {
  const { Choice, Item } = schema.$defs;
  for (const [index, name] of ["user", "team", "place", "day"].entries()) {
    Choice.properties[name] = { description: "A text.", "x-number": 10 + index, type: "string" };
  }
  Choice.allOf = [group("payer", "user", "team"), optional("origin", "place", "day")];
  Object.assign(Item, optional("mark", "old", "sold"));
});

test("each group is a union of branches in the type; members of a group that may be absent are optional", async () => {
  const source = await emitModels(spec);
  const file = new Project({ useInMemoryFileSystem: true }).createSourceFile("models.ts", source);
  const choice = file.getTypeAliasOrThrow("Choice").getTypeNodeOrThrow().getText().replace(/\s+/g, " ");
  assert.match(choice, /^\{.* note\?: string;.* place\?: string;.* day\?: string; \} & /);
  assert.match(choice, /& \(ChoiceWord \| ChoiceValue\) & \(ChoiceUser \| ChoiceTeam\)$/);
  const member = (type: string, name: string) =>
    file.getInterfaceOrThrow(type).getPropertyOrThrow(name).getText();
  assert.equal(member("ChoiceUser", "user"), "user: string;");
  assert.equal(member("ChoiceUser", "team"), "team?: never;");
  assert.equal(member("Item", "old"), "old?: string;");
});

const guards = await importEmitted(emitValidators(spec));

test("every payload that is made of the groups is taken or refused as it says", () => {
  const { valid, invalid } = typeFixtures(spec, "Item");
  const { isItem } = guards;
  assert.ok(isItem);
  for (const { name, value } of valid) assert.ok(isItem(value), `${name}: ${JSON.stringify(isItem.errors)}`);
  for (const { name, value, path, rule } of invalid) {
    assert.equal(isItem(value), false, name);
    const error: ValidationError | undefined = isItem.errors?.[0];
    assert.deepEqual([error && dottedPath(error), error?.keyword], [path, rule], name);
  }
  const rules = invalid.map(({ name, rule }) => `${name}: ${rule}`);
  assert.ok(rules.includes("two of mark: atMostOne"), rules.join("\n"));
  assert.ok(!rules.includes("no mark: atMostOne"));
});

test("a guard counts each group by itself and says how many there may be", () => {
  const choice = (value: object) => ({ id: "a", choices: [value] });
  const { isItem } = guards;
  const faults = [
    { word: "w", user: "u" },
    { word: "w", team: "t", place: "p" },
    { word: "w" },
    { user: "u" },
    { word: "w", user: "u", team: "t" },
    { word: "w", user: "u", place: "p", day: "d" },
  ].map((value) =>
    isItem?.(choice(value))
      ? ""
      : violationOf(isItem?.errors as Parameters<typeof violationOf>[0]).description,
  );
  assert.deepEqual(faults, [
    "",
    "",
    "must have exactly one of user, team",
    "must have exactly one of word, value",
    "must have exactly one of user, team, not user and team",
    "must have at most one of place, day, not place and day",
  ]);
});

test("the lenient reader reads members of every group, null as absent", async () => {
  const { memberTexts, enums } = await importEmittedTables();
  const messages = readFields<string, FieldRow>(memberTexts, enums);
  const read = protoJsonReader({ messages, enums });
  const given = { value: null, word: null, user: "u", team: null, day: "d", place: null };
  assert.deepEqual(read("Choice", given), { value: null, user: "u", day: "d" });
});

/** The tables of `fields.ts`, without its types. */
async function importEmittedTables(): Promise<any> {
  const { transform } = await import("esbuild");
  const { code } = await transform(emitFields(spec), { loader: "ts", format: "esm" });
  return importEmitted(code);
}

test("the reference and OpenAPI say of each group whether one has to be present", () => {
  const page = typesPage(spec);
  for (const line of [
    "Exactly one of `word`, `value` is present.",
    "Exactly one of `user`, `team` is present.",
    "At most one of `place`, `day` is present.",
    "At most one of `old`, `sold` is present.",
  ]) {
    assert.ok(page.includes(line), line);
  }
  const { Choice, Item } = JSON.parse(emitOpenapi(spec)).components.schemas;
  assert.deepEqual([Choice.oneOf.length, Choice.allOf.length], [2, 2]);
  const none = { not: { anyOf: [{ required: ["place"] }, { required: ["day"] }] } };
  assert.deepEqual(Choice.allOf[1].oneOf.at(-1), none);
  assert.equal(Item.oneOf.length, 3);
});
