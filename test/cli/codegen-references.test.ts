import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type TestContext, test } from "vitest";
import { Terminal } from "./terminal.js";

/** Generates code from some files: the types on one line, the contracts, and the shell. */
async function generate(t: TestContext, files: Record<string, unknown>) {
  const shell = new Terminal(t);
  for (const [name, value] of Object.entries(files)) {
    const path = join(shell.folder, "schemas", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  }
  const { exit, err } = await shell.parley("codegen", "schemas", "--js");
  if (exit !== 0) return { err, models: "", skills: undefined as any };
  const out = join(shell.folder, "generated");
  const models = readFileSync(join(out, "models.d.ts"), "utf8").replace(/\s+/g, " ");
  return { err, models, skills: (await import(pathToFileURL(join(out, "skills.js")).href)).skills };
}

function has(models: string, ...texts: string[]): void {
  for (const text of texts) assert.ok(models.includes(text), `${text}\n${models}`);
}

test("references lead to other files, by path, $id and anchor; what several use has one type", async (t) => {
  const money = {
    $id: "https://insurer.example/schemas/money",
    type: "object",
    properties: { euros: { $ref: "#amount" } },
    required: ["euros"],
    $defs: { amount: { $anchor: "amount", type: "number", minimum: 0 } },
  };
  const { models, skills, err } = await generate(t, {
    "shared/money.json": money,
    "shared/people.yaml":
      "$defs:\n  person:\n    type: object\n    properties:\n      name: { type: string }\n      owes: { $ref: money.json }\n",
    "skills/quote/input.json": {
      type: "object",
      properties: {
        price: { $ref: "../../shared/money.json" },
        same: { $ref: "https://insurer.example/schemas/money" },
        amount: { $ref: "https://insurer.example/schemas/money#amount" },
        owner: { $ref: "../../shared/people.yaml#/$defs/person" },
      },
    },
    "skills/quote/output.json": { $ref: "../../shared/money.json" },
    "skills/claim/input.json": { $ref: "../quote/input.json#/properties/owner" },
  });
  assert.ok(skills, err);
  assert.equal(models.match(/interface Money /g)?.length, 1);
  assert.equal(models.match(/interface Person /g)?.length, 1);
  has(
    models,
    "price?: Money;",
    "same?: Money;",
    "amount?: Amount;",
    "owner?: Person;",
    "owes?: Money;",
    "euros: Amount;",
  );
  const { check, schema } = skills.quote.input;
  assert.ok(check({ price: { euros: 1 }, owner: { owes: { euros: 0 } } }));
  assert.ok(!check({ price: { euros: -1 } }));
  assert.ok(!check({ owner: { owes: {} } }));
  // The card has no other files: its schemas need none.
  assert.doesNotMatch(JSON.stringify(schema), /\.json|\.yaml|\$id|\$anchor/);
  assert.ok(!skills.claim.input.check({ owes: 7 }));
});

test("cycles within a file and between files", async (t) => {
  const { models, skills, err } = await generate(t, {
    "skills/tree/input.json": {
      type: "object",
      properties: {
        leaves: { type: "array", items: { $ref: "../../shared/leaf.json" } },
        self: { $ref: "#here" },
      },
      $anchor: "here",
      additionalProperties: false,
    },
    "shared/leaf.json": {
      type: "object",
      properties: {
        tree: { $ref: "../skills/tree/input.json" },
        next: { $ref: "#" },
        value: { type: "number" },
      },
    },
  });
  assert.ok(skills, err);
  has(models, "leaves?: Leaf[];", "self?: TreeInput;", "tree?: TreeInput;", "next?: Leaf;");
  const { check } = skills.tree.input;
  assert.ok(check({ leaves: [{ tree: { self: { leaves: [{ next: { value: 1 } }] } } }] }));
  assert.ok(!check({ leaves: [{ tree: { self: { leaves: [{ next: { value: "1" } }] } } }] }));
  assert.ok(!check({ leaves: [{ tree: { other: 1 } }] }));
});

test("draft-07, nullable and tuples", async (t) => {
  const { models, skills, err } = await generate(t, {
    "skills/old/input.json": {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: {
          type: "array",
          items: [{ type: "string" }, { $ref: "#/definitions/n" }],
          additionalItems: false,
        },
        ref: { $ref: "#/properties/pair/items/0", type: "number" },
      },
      dependencies: { pair: ["ref"] },
      definitions: { n: { type: "number" } },
    },
    "skills/new/input.yml": [
      "type: object",
      "properties:",
      "  none: { prefixItems: [{ type: string }, { type: number }] }",
      "  one: { prefixItems: [{ type: string }, { type: number }], minItems: 1, items: { type: boolean } }",
      "  all: { prefixItems: [{ type: string }, { type: number }], minItems: 2, items: false }",
      "  list: { type: array, items: { type: string }, minItems: 2, maxItems: 3 }",
      "  word: { type: string, enum: [a, b], nullable: true }",
      "  that: { $ref: '#/$defs/thing', nullable: true }",
      "$defs: { thing: { type: object, properties: { x: { type: number } } } }",
    ].join("\n"),
  });
  assert.ok(skills, err);
  has(
    models,
    "pair?: [] | [string] | [string, N];",
    "none?: [] | [string] | [string, number, ...unknown[]];",
  );
  has(
    models,
    "one?: [string] | [string, number, ...boolean[]];",
    "all?: [string, number];",
    "list?: string[];",
  );
  has(models, 'word?: "a" | "b" | null;', "that?: Thing | null;");
  const old = skills.old.input;
  assert.ok(old.check({ pair: ["a", 1], ref: "text" }));
  for (const value of [{ pair: ["a"] }, { pair: ["a", 1, 2], ref: "" }, { pair: [1], ref: "" }, { ref: 1 }])
    assert.ok(!old.check(value), JSON.stringify(value));
  assert.equal(old.schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  const { check } = skills.new.input;
  for (const value of [{ none: [] }, { one: ["a"] }, { word: null }, { that: null }, { that: { x: 1 } }])
    assert.ok(check(value));
  for (const value of [{ one: [] }, { all: ["a"] }, { word: "c" }, { that: 1 }]) assert.ok(!check(value));
});

test("one run names every fault", async (t) => {
  const { err } = await generate(t, {
    "skills/a/input.json": "{",
    "skills/b/input.yaml": "a: [",
    "skills/c/input.json": { type: "objekt" },
    "skills/d/input.json": { $ref: "../../shared/none.json" },
    "skills/e/input.json": { $ref: "../../../outside.json" },
    "skills/f/input.json": {},
    "skills/f/input.yaml": "type: object",
    "skills/g/other.json": {},
    "skills/h/input.json": { $schema: "http://json-schema.org/draft-04/schema#" },
    "extensions/mood/metadata.json": {},
  });
  const lines = [
    /9 problems:/,
    /skills\/a\/input\.json is not JSON/,
    /skills\/b\/input\.yaml is not YAML/,
    /skills\/c\/input\.json is not a valid JSON Schema: .*type/,
    /skills\/d\/input\.json .*shared\/none\.json has no target in the folder/,
    /skills\/e\/input\.json .*outside\.json has no target in the folder/,
    /skills\/f\/input\.yaml is a second schema of this kind, besides schemas\/skills\/f\/input\.json/,
    /skills\/g\/other\.json is in the wrong place/,
    /skills\/h\/input\.json uses .*draft-04/,
    /extensions\/mood\/metadata\.json needs the URI/,
  ];
  for (const line of lines) assert.match(err, line);
});
