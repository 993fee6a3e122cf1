import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { withOptionTables, writeOptionTables } from "../../../codegen/docs/option-tables.js";
import { limitRows } from "../../../src/server/limits.js";
import { root } from "../../support/root.js";

test("the tables of docs/operations.md are those of the code", async () => {
  const { lines, exitCode } = await writeOptionTables(root, { check: true });
  assert.equal(exitCode, 0, lines.join("\n"));
});

test("tables are made anew between their comments, and the rest of the page stays", () => {
  const page =
    "a\n<!-- limits -->\n\nnot made\n\n<!-- end of limits -->\nb\n<!-- options -->\n\n<!-- end of options -->\nc\n";
  const text = withOptionTables(page);
  assert.match(text, /^a\n<!-- limits -->\n\n\| Limit /);
  assert.ok(
    text.includes("| `body` | bytes of a request, after decompression | 10 MiB | 413 `REQUEST_TOO_LARGE` |"),
  );
  assert.ok(!text.includes("not made"));
  assert.ok(text.endsWith("\n\n<!-- end of options -->\nc\n"));
  assert.equal(withOptionTables(text), text);
  assert.throws(() => withOptionTables("a"), /no place for the table of limits/);
});

test("the comment on every limit says its default", () => {
  const source = readFileSync(join(root, "src/server/limits.ts"), "utf8");
  for (const [name, { default: value, unit }] of Object.entries(limitRows)) {
    const comment =
      new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\s+readonly ${name}\\?:`, "s").exec(source)?.[1] ?? "";
    const mebibytes = value / 2 ** 20;
    const shown =
      unit === "bytes" && value >= 1024
        ? `${mebibytes < 1 ? value / 1024 : mebibytes} ${mebibytes < 1 ? "KiB" : "MiB"}`
        : value.toLocaleString("en");
    assert.ok(comment.replace(/\s*\n\s*\*\s*/g, " ").includes(`${shown} by default`), `${name}: ${shown}`);
  }
});
