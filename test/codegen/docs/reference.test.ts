import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, test } from "vitest";
import { writeReference } from "../../../codegen/docs/write-reference.js";
import { protocolVersion } from "../../../src/protocol/operations.js";
import { readSchema } from "../../schema/read-contract.js";
import { scratch } from "../import/scratch.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const reference = (file: string) => readFile(join(repository, "docs/reference", file), "utf8");
const { schema, operations } = readSchema(protocolVersion);

const place = await scratch([`schema/v${protocolVersion}`, "docs/reference"]);
afterAll(() => place.remove());

test("the reference is what the schema says now", async () => {
  const { lines, exitCode } = await writeReference(repository, { check: true });
  assert.equal(exitCode, 0, lines.join("\n"));
});

test("stale, missing and extra pages are named by a check and mended by a run", async () => {
  const at = (file: string) => join(place.root, "docs/reference", file);
  await writeFile(at("types.md"), "stale");
  await rm(at("errors.md"));
  await writeFile(at("notes.md"), "extra");
  assert.deepEqual(await writeReference(place.root, { check: true }), {
    lines: [
      "stale or extra: docs/reference/errors.md",
      "stale or extra: docs/reference/notes.md",
      "stale or extra: docs/reference/types.md",
      "run npm run docs and commit the result",
    ],
    exitCode: 1,
  });
  assert.equal((await writeReference(place.root, { check: false })).lines.length, 3);
  assert.deepEqual(await writeReference(place.root, { check: false }), {
    lines: ["nothing to do (5 pages)"],
    exitCode: 0,
  });
});

test("a schema that is refused gives its problems", async () => {
  const file = join(place.root, `schema/v${protocolVersion}/operations.json`);
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace('"GetTaskRequest"', '"Nothing"'));
  const { lines, exitCode } = await writeReference(place.root, { check: true });
  assert.equal(exitCode, 1);
  assert.match(lines.join(), /"Nothing" is not a message of the schema/);
  await writeFile(file, text);
});

test("every type, member, enum value, operation, route and error has its place in the reference", async () => {
  const [types, calls, errors] = await Promise.all(["types.md", "operations.md", "errors.md"].map(reference));
  for (const [name, definition] of Object.entries(schema.$defs)) {
    assert.ok(types?.includes(`\n## ${name}\n`), name);
    const members = [...Object.keys(definition.properties ?? {}), ...(definition.enum ?? [])];
    for (const member of members) assert.ok(types?.includes(`| \`${member}\` |`), `${name}.${member}`);
  }
  for (const { name, http } of operations.operations) {
    assert.ok(calls?.includes(`\n## ${name}\n`), name);
    for (const { verb, path } of http) assert.ok(calls?.includes(`- \`${verb} ${path}\``), path);
  }
  for (const { code } of operations.errors) assert.ok(errors?.includes(`\n## ${code}\n`), code);
});

test("every link of the reference leads to a heading", async () => {
  const files = ["README.md", "operations.md", "types.md", "errors.md", "streams.md"];
  const texts = new Map(await Promise.all(files.map(async (file) => [file, await reference(file)] as const)));
  const headings = new Map(
    [...texts].map(([file, text]) => [
      file,
      [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title?.toLowerCase()),
    ]),
  );
  for (const [from, text] of texts) {
    for (const [, file = "", anchor] of text.matchAll(/\]\(([\w.]+)(?:#([^)]*))?\)/g)) {
      assert.ok(headings.has(file), `${from} links to ${file}`);
      if (anchor !== undefined)
        assert.ok(headings.get(file)?.includes(anchor), `${from} links to ${file}#${anchor}`);
    }
  }
});
