import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "vitest";
import { insurer } from "../../examples/typed-skills/agent.js";
import { skills } from "../../examples/typed-skills/generated/skills.js";
import { faultIn } from "../../src/agent/skills/read-data.js";
import { loadTypeGenerator } from "../../src/cli/codegen/models.js";
import { Problems } from "../../src/cli/codegen/problems.js";
import { printValidators } from "../../src/cli/codegen/validators.js";
import { Failure } from "../../src/cli/failure.js";
import { serveFor } from "../support/peer.js";
import { root } from "../support/root.js";
import { Terminal } from "./terminal.js";

const example = join(root, "examples/typed-skills");

/** Writes schemas below the folder of a terminal. */
function schemas(shell: Terminal, files: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(files)) {
    const path = join(shell.folder, "schemas", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  }
}

test("the generated code of the example is what its schemas give: same input, same bytes", async (t) => {
  const shell = new Terminal(t);
  const { exit, out } = await shell.parley(
    ...["codegen", join(example, "schemas"), "--out", join(example, "generated"), "--check"],
  );
  assert.equal(exit, 0);
  assert.match(out, /^Up to date: 4 files/);
});

test("codegen writes what differs, removes what it wrote once, and leaves the files of others alone", async (t) => {
  const shell = new Terminal(t);
  const text = { type: "string", minLength: 2 };
  schemas(shell, {
    "skills/say-it/input.json": text,
    "skills/say-it/README.md": "Says it.",
    "extensions/mood/metadata.json": { $id: "https://a.example/mood/v1", type: "object" },
  });
  const run = (...more: string[]) => shell.parley("codegen", "schemas", "--js", ...more);
  const first = await run();
  assert.equal(first.exit, 0, first.err);
  const out = join(shell.folder, "generated");
  const written = [
    ...["extensions.d.ts", "extensions.js", "models.d.ts", "skills.d.ts"],
    ...["skills.js", "validators.d.ts", "validators.js"],
  ];
  assert.deepEqual(readdirSync(out).sort(), written);
  assert.match(
    readFileSync(join(out, "skills.d.ts"), "utf8"),
    /"say-it": SkillContract<SayItInput, string>;/,
  );
  assert.match(readFileSync(join(out, "models.d.ts"), "utf8"), /type SayItInput = string;/);
  const made = await import(pathToFileURL(join(out, "skills.js")).href);
  assert.deepEqual(
    [made.skills["say-it"].input.check("x"), made.skills["say-it"].input.check("xy")],
    [false, true],
  );

  writeFileSync(join(out, "mine.js"), "// mine\n");
  schemas(shell, {
    "skills/say-it/input.json": { ...text, minLength: 3 },
    "extensions/mood/metadata.json": "",
  });
  const broken = await run("-o", "json");
  assert.deepEqual([broken.exit, broken.json.error.code], [1, "PARLEY_ERR_FILE"]);
  assert.match(broken.json.error.message, /schemas\/extensions\/mood\/metadata\.json is not JSON/);
  rmSync(join(shell.folder, "schemas/extensions"), { recursive: true });
  const stale = await run("--check");
  assert.equal(stale.exit, 1);
  assert.match(
    stale.err,
    /stale: generated\/skills\.js, .*extra: generated\/extensions\.d\.ts.* \(PARLEY_ERR_STALE\)/,
  );
  assert.match(
    (await run()).out,
    /^Wrote: generated\/skills\.js$[\s\S]*^Removed: generated\/extensions\.js$/m,
  );
  assert.deepEqual(readdirSync(out).sort(), [
    ...["mine.js", "models.d.ts", "skills.d.ts", "skills.js", "validators.d.ts", "validators.js"],
  ]);
  writeFileSync(join(out, "skills.js"), "// mine\n");
  assert.match((await run()).err, /skills\.js was not generated, and is not overwritten/);
});

test("codegen makes of an agent's card what the schemas would give", async (t) => {
  const { url } = await serveFor(t, insurer);
  const shell = new Terminal(t, url);
  const { exit, err } = await shell.parley("codegen", "--out", "insurer");
  assert.equal(exit, 0, err);
  for (const name of ["models.ts", "skills.ts"]) {
    const text = readFileSync(join(shell.folder, "insurer", name), "utf8");
    assert.ok(text.includes("QuoteInput"));
  }
  const expected = readFileSync(join(example, "generated/skills.ts"), "utf8");
  assert.equal(readFileSync(join(shell.folder, "insurer/skills.ts"), "utf8"), expected);
});

test("a schema that cannot be used is refused with its place", async (t) => {
  const shell = new Terminal(t);
  const at = "skills/quote/input.json";
  const cases: [Record<string, unknown>, RegExp][] = [
    [{}, /no schema of a skill/],
    [{ [at]: [] }, /input\.json is not a JSON Schema/],
    [{ [at]: { type: "text" } }, /input\.json is not a valid JSON Schema: .*type/],
    [{ [at]: { $ref: "#/$defs/none" } }, /input\.json is not a valid JSON Schema: .*none/],
    [{ [at]: { $ref: "other.json" } }, /input\.json is not a valid JSON Schema: .*other\.json/],
    [
      { [at]: { $schema: "http://json-schema.org/draft-04/schema#" } },
      /input\.json uses .*draft-04.*draft-07 are supported/,
    ],
    [{ [at]: { $id: "x*/ evil() /*" } }, /is not a URI/],
    [{ "skills/quote.json": {} }, /skills\/quote\.json is in the wrong place/],
    [{ "skills/quote/inptu.json": {} }, /should be input\.json or output\.json/],
    [{ "skills/a-b/input.json": {}, "skills/a_b/input.json": {} }, /would both be called ABInput/],
    [{ "skills/報/input.json": {} }, /gives no name for a type/],
    [{ "extensions/mood/metadata.json": {} }, /needs the URI of the extension as its \$id/],
  ];
  for (const [files, message] of cases) {
    rmSync(join(shell.folder, "schemas"), { recursive: true, force: true });
    mkdirSync(join(shell.folder, "schemas"));
    schemas(shell, files);
    const { exit, err } = await shell.parley("codegen", "schemas");
    assert.equal(exit, 1);
    assert.match(err, message);
    assert.match(err, /PARLEY_ERR_FILE/);
  }
  assert.match((await shell.parley("codegen", "nowhere")).err, /nowhere is not a folder/);
  assert.equal((await shell.parley("codegen")).exit, 2);
});

test("types: definitions are declared once, shared where they are the same, open where the schema is", async (t) => {
  const shell = new Terminal(t);
  const money = {
    description: "An amount */ of money",
    type: "object",
    properties: { euros: { type: "number" } },
  };
  const $defs = {
    money,
    tree: { type: "object", properties: { left: { $ref: "#/$defs/tree" } } },
    deep: { $defs: { same: { type: "boolean" } } },
  };
  const properties = {
    price: { $ref: "#/$defs/money", description: "What it costs." },
    tree: { $ref: "#/$defs/tree" },
    again: { $ref: "#" },
    same: { $ref: "#/properties/price" },
    deep: { type: "object", properties: { same: { type: "number" } } },
    deepSame: { $ref: "#/properties/deep/properties/same" },
    twice: { $ref: "#/$defs/deep/$defs/same" },
    pair: { prefixItems: [{ type: "string" }, { type: "number" }], items: false },
    any: true,
    none: false,
    bag: { type: "object" },
    maybe: { type: ["string", "null"] },
    const: { const: { a: 1 } },
    named: { type: "object", additionalProperties: { type: "integer" } },
    open: { type: "object", properties: { a: {} }, additionalProperties: true },
    tsType: { tsType: "Date", description: "Not the author's to say." },
  };
  const other = { $defs: { money: { type: "string" } }, $ref: "#/$defs/money" };
  schemas(shell, {
    "skills/a/input.json": { type: "object", properties, $defs },
    "skills/a/output.json": { type: "object", properties: { price: { $ref: "#/$defs/money" } }, $defs },
    "skills/b/output.json": other,
  });
  const { exit, err } = await shell.parley("codegen", "schemas");
  assert.equal(exit, 0, err);
  const models = readFileSync(join(shell.folder, "generated/models.ts"), "utf8");
  const has = (text: string) => assert.ok(models.replace(/\s+/g, " ").includes(text), `${text}\n${models}`);
  assert.equal(models.match(/interface Money /g)?.length, 1);
  has("An amount * / of money");
  has("What it costs. */ price?: Money;");
  has("left?: Tree;");
  has("again?: AInput;");
  has("pair?: [] | [string] | [string, number];");
  has("same?: AInputPrice;");
  has("type AInputDeepSame = number;");
  has("type AInputDeepSameAlso = boolean;");
  has("any?: unknown;");
  has("none?: never;");
  has("bag?: { [k: string]: unknown; };");
  has("maybe?: string | null;");
  has("named?: { [k: string]: number; };");
  has("open?: { a?: unknown; [k: string]: unknown; };");
  has("tsType?: unknown;");
  has("type BOutput = BOutputMoney;");
});

test("checks stand alone: they count characters, compare values, and require nothing", async (t) => {
  const schema = {
    type: "object",
    properties: {
      text: { type: "string", minLength: 2, maxLength: 3 },
      fixed: { const: { a: [1, { b: null }] } },
      either: { enum: [1, "one", { n: 1 }, [1]] },
      set: { type: "array", uniqueItems: true },
      list: { type: "array", uniqueItems: false },
      mail: { format: "email" },
      kind: JSON.parse('{ "if": { "type": "string" }, "then": { "pattern": "^k" } }'),
    },
    additionalProperties: false,
  };
  const text = printValidators([{ origin: "here", schema, type: "It", check: "it" }], new Problems());
  assert.doesNotMatch(text, /require\(|import /);
  const path = join(new Terminal(t).folder, "checks.mjs");
  writeFileSync(path, text);
  const shape = { schema, check: (await import(pathToFileURL(path).href)).it };
  const cases: [unknown, string | undefined][] = [
    [{ text: "🙂🙂🙂" }, undefined],
    [{ text: "🙂" }, "x.text must have at least 2 characters"],
    [{ text: "abcd" }, "x.text must not have more than 3 characters"],
    [{ fixed: { a: [1, { b: null }] } }, undefined],
    [{ fixed: { a: [1, { b: 0 }] } }, 'x.fixed must be {"a":[1,{"b":null}]}'],
    [{ fixed: null }, 'x.fixed must be {"a":[1,{"b":null}]}'],
    [{ either: { n: 1 } }, undefined],
    [{ either: [1] }, undefined],
    [{ either: { 0: 1 } }, "x.either must be one of 1, one, [object Object], 1"],
    [{ set: [1, "1", [1], { a: 1 }, { b: 1 }, { a: 1, b: 1 }] }, undefined],
    [{ set: [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }] }, "x.set must not have equal items"],
    [{ set: ["a", 1, null, "a"] }, "x.set must not have equal items"],
    [{ set: [{ a: undefined, "b,": [2] }, { "b,": [2] }] }, "x.set must not have equal items"],
    [{ list: [1, 1], mail: "no mail" }, undefined],
    [{ kind: "wrong" }, 'x.kind must match pattern "^k"'],
    [{ more: 1 }, "x.more is not a member of this object"],
  ];
  for (const [value, expected] of cases) {
    const found = faultIn(shape, value, "x");
    assert.equal(found && `${found.field} ${found.description}`, expected);
  }
});

test("without json-schema-to-typescript the command says how to get it", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  await assert.rejects(
    loadTypeGenerator(() => Promise.reject(missing)),
    (error) => {
      assert.ok(error instanceof Failure);
      assert.match(error.hint ?? "", /^npm install --save-dev json-schema-to-typescript$/);
      return true;
    },
  );
  await assert.rejects(
    loadTypeGenerator(() => Promise.reject(new Error("other"))),
    /^Error: other$/,
  );
  assert.ok(skills.quote.input?.check({ kind: "boat", amount: 1 }));
});
