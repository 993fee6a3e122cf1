import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { root } from "../support/root.js";
import { readTree, tree } from "./source-file.js";
import { oneMeaning, plainWords, retiredWords, sectionsOnly } from "./words.js";

const written = readTree("src", "codegen");

test("names and sentences do without the retired words", () => {
  assert.deepEqual(plainWords(written), []);
});

test("comments cite sections of the specification, not ids of requirements", () => {
  assert.deepEqual(sectionsOnly(written), []);
});

test("no two files of src export the same name", () => {
  assert.deepEqual(oneMeaning(written), []);
});

test("every retired word has a reason", () => {
  for (const [word, reason] of Object.entries(retiredWords)) assert.ok(reason.length > 3, word);
});

test("a retired word is found in a name and in a sentence, in any case", () => {
  const files = tree({
    "src/a.ts": "// Whoever reads.\nconst surroundings = 1;\nconst verdict = 'unprovoked';",
    "codegen/b.ts": "/** A stand-in. */",
    "test/c.ts": "// nobody",
  });
  assert.deepEqual(plainWords(files), [
    'src/a.ts:1: "Whoever" is retired: name the subject: the caller, the node, the reader',
    'src/a.ts:2: "surroundings" is retired: what an object works with: …Deps',
    'codegen/b.ts:1: "stand-in" is retired: fallback',
  ]);
});

test("an id is found in every kind of comment, and left alone in strings, in other words and where ids are the subject", () => {
  const files = tree({
    "src/a.ts":
      '/**\n * Rule (SEC-08).\n */\nconst a = "OP-SEND-04 https://a.example"; // TASK-02\n// UTF-16, RFC-72',
    "src/conformance/b.ts": "// SEC-08",
    "src/testing/store-contract/c.ts": "// SEC-08",
  });
  assert.deepEqual(sectionsOnly(files), [
    "src/a.ts:2: cites SEC-08: name the section of the specification",
    "src/a.ts:4: cites TASK-02: name the section of the specification",
  ]);
});

test("a name is found that two files declare, of any kind, unless the files are parallel", () => {
  const files = tree({
    "src/a.ts": "export const one = 1, two = 2;\nexport function three() {}",
    "src/b/c.ts": "export interface one {}\nexport class three {}",
    "src/b/index.ts": 'export { one } from "./c.js";',
    "src/stores/x/d.ts": "export type Row = 1;",
    "src/stores/y/d.ts": "export type Row = 1;\nconst two = 1;",
  });
  assert.deepEqual(oneMeaning(files), [
    "one: exported from src/a.ts and src/b/c.ts",
    "three: exported from src/a.ts and src/b/c.ts",
  ]);
});

test("the glossary has at most 60 terms, each once and in order, and CONTRIBUTING.md links to it", () => {
  const page = join(root, "docs/glossary.md");
  assert.ok(existsSync(page));
  const terms = [...readFileSync(page, "utf8").matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, term = ""]) =>
    term.toLowerCase(),
  );
  assert.ok(terms.length > 30 && terms.length <= 60, `${terms.length} terms`);
  assert.equal(new Set(terms).size, terms.length);
  assert.deepEqual(terms, [...terms].sort());
  assert.match(readFileSync(join(root, "CONTRIBUTING.md"), "utf8"), /\(docs\/glossary\.md\)/);
});
