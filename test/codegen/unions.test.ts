import assert from "node:assert/strict";
import { Project } from "ts-morph";
import { test } from "vitest";
import { emitFields } from "../../codegen/emit/fields.js";
import { type TypeFixtures, typeFixtures } from "../../codegen/emit/fixtures.js";
import { emitModels } from "../../codegen/emit/models.js";
import { emitOpenapi } from "../../codegen/emit/openapi.js";
import { emitOperations } from "../../codegen/emit/operations.js";
import { emitValidators } from "../../codegen/emit/validators.js";
import type { ValidationError } from "../../generated/v1.0/validators.js";
import { dottedPath, importEmitted } from "./import-emitted.js";
import { type Documents, type Json, refusals, tinySpec } from "./tiny.js";

const text = { description: "A text.", type: "string" };
const constant = (word: string) => ({ description: "Its kind.", type: "string", const: word });

/** Adds what versions before field numbers have: constants, unions told apart by them, lists and maps with names. */
function older({ schema, operations }: Documents): void {
  for (const { properties = {} } of Object.values<Json>(schema.$defs)) {
    for (const property of Object.values<Json>(properties)) delete property["x-number"];
  }
  Object.assign(schema.$defs, {
    Circle: {
      type: "object",
      description: "Round.",
      properties: {
        kind: constant("circle"),
        radius: { ...text },
        parent: { description: "Around it.", $ref: "#/$defs/Shape" },
      },
      required: ["kind", "radius"],
    },
    Square: {
      type: "object",
      description: "Not round.",
      properties: { kind: constant("square"), tags: { description: "Tags.", $ref: "#/$defs/TagsByName" } },
      required: ["kind"],
    },
    Shape: {
      description: "Round or not.",
      "x-discriminator": "kind",
      oneOf: [{ $ref: "#/$defs/Circle" }, { $ref: "#/$defs/Square" }],
    },
    Tags: { type: "array", description: "Tags.", items: { type: "string" } },
    TagsByName: {
      type: "object",
      description: "Tags by name.",
      additionalProperties: { $ref: "#/$defs/Tags" },
    },
    Shapes: { type: "array", description: "Shapes.", items: { $ref: "#/$defs/Shape" } },
    Empty: { type: "object", description: "Nothing.", properties: {} },
  });
  schema.$defs.Item.properties.shape = { description: "Its shape.", $ref: "#/$defs/Shape" };
  delete schema.$defs.Color["x-enum-numbers"];
  operations.operations[0].response = "Shapes";
  operations.operations[1].http = [];
}

const spec = tinySpec(older);

test("constants, unions and named containers become types of their names", async () => {
  const file = new Project({ useInMemoryFileSystem: true }).createSourceFile(
    "models.ts",
    await emitModels(spec),
  );
  const aliases = ["Shape", "Tags", "TagsByName", "Shapes"].map(
    (name) =>
      file.getTypeAlias(name)?.getTypeNodeOrThrow().getText().replace(/\s+/g, " ") ??
      file.getInterfaceOrThrow(name).getText().replace(/\s+/g, " "),
  );
  assert.deepEqual(aliases, [
    "Circle | Square",
    "string[]",
    "export interface TagsByName { [k: string]: Tags; }",
    "Shape[]",
  ]);
  assert.equal(
    file.getInterfaceOrThrow("Circle").getPropertyOrThrow("kind").getTypeNode()?.getText(),
    '"circle"',
  );
});

test("the tables say what unions and containers hold, and numbers of members are there only where the schema has them", () => {
  const fields = emitFields(spec);
  assert.match(fields, /Shape: \{ discriminator: "kind", types: \{ circle: "Circle", square: "Square" \} \}/);
  assert.match(fields, /Shapes: \{ name: "", kind: "message", type: "Shape", repeated: true \}/);
  assert.match(fields, /TagsByName: \{ name: "", kind: "message", type: "Tags", map: true \}/);
  assert.match(fields, /Color: \{\s*COLOR_UNSPECIFIED: 0,/);
  assert.match(emitOperations(spec), /response: TypeName \| null/);
});

const guards = await importEmitted(emitValidators(spec));

for (const type of ["Shapes", "Item"]) {
  const { valid, invalid }: TypeFixtures = typeFixtures(spec, type);
  test(`the guard of ${type} takes and refuses its payloads at their paths`, () => {
    const guard = guards[`is${type}`];
    assert.ok(guard && valid.length > 1 && invalid.length > 5);
    for (const { name, value } of valid) assert.ok(guard(value), `${name}: ${JSON.stringify(guard.errors)}`);
    for (const { name, value, path, rule } of invalid) {
      assert.equal(guard(value), false, name);
      const error: ValidationError | undefined = guard.errors?.[0];
      assert.deepEqual([error && dottedPath(error), error?.keyword], [path, rule], name);
    }
    const names = invalid.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) < index),
      [],
    );
  });
}

test("a union is judged by the message that its constant names, and faults lie in that", () => {
  const { isShapes } = guards;
  assert.ok(isShapes);
  assert.equal(
    isShapes([{ kind: "square" }, { kind: "circle", radius: "1", parent: { kind: "square" } }]),
    true,
  );
  for (const [value, path] of [
    [[{ kind: "circle" }], "[0].radius"],
    [[{ kind: "oval" }], "[0].kind"],
    [[{ radius: "1" }], "[0].kind"],
    [[{ kind: "square", tags: { a: ["b", 1] } }], "[0].tags.a[1]"],
    [{}, ""],
  ] as const) {
    assert.equal(isShapes(value), false);
    assert.equal(dottedPath((isShapes.errors ?? [])[0] as never), path);
  }
});

test("OpenAPI knows unions by their discriminator, and nothing of operations without routes", () => {
  const document = JSON.parse(emitOpenapi(spec));
  assert.deepEqual(document.components.schemas.Shape.discriminator, {
    propertyName: "kind",
    mapping: { circle: "#/components/schemas/Circle", square: "#/components/schemas/Square" },
  });
  assert.deepEqual(document.components.schemas.Tags, {
    description: "Tags.",
    type: "array",
    items: { type: "string" },
  });
  assert.equal(JSON.stringify(document.paths).includes("PutItem"), false);
});

const shape = "/$defs/Shape";

for (const [what, change, line] of [
  ["a union of one", (s: Json) => s.oneOf.pop(), `${shape}/oneOf: must list at least two references`],
  [
    "a branch that is no reference",
    (s: Json) => {
      s.oneOf[0] = { type: "object" };
    },
    `${shape}/oneOf/0: must be {"$ref": "#/$defs/<message>"} and nothing else`,
  ],
  [
    "a branch without the constant",
    (s: Json) => {
      s.oneOf[0] = { $ref: "#/$defs/Empty" };
    },
    `${shape}/oneOf/0: Empty does not require a constant "kind"`,
  ],
  [
    "two branches with one constant",
    (s: Json) => s.oneOf.push({ $ref: "#/$defs/Circle" }),
    `${shape}/oneOf/2: "circle" is the constant of two messages`,
  ],
] as const) {
  test(`refused: ${what}`, () => {
    const found = refusals((documents) => {
      older(documents);
      change(documents.schema.$defs.Shape);
    });
    assert.ok(found.includes(`schema.json#${line}`), found.join("\n"));
  });
}

test("refused: limits beside a constant, and a list that requires itself", () => {
  const found = refusals((documents) => {
    older(documents);
    documents.schema.$defs.Circle.properties.kind.minLength = 1;
    documents.schema.$defs.Shapes.items = { $ref: "#/$defs/Knot" };
    documents.schema.$defs.Knot = {
      type: "object",
      description: "Inside itself.",
      properties: { inner: { description: "Itself.", $ref: "#/$defs/Knot" } },
      required: ["inner"],
    };
  });
  assert.deepEqual(found, [
    'schema.json#/$defs/Circle/properties/kind/minLength: "minLength" does not apply to this shape',
    "schema.json#/$defs/Knot: requires itself, so it has no finite value",
  ]);
});
