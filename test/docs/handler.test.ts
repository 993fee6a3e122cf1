import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { handlerMethod, operations } from "../../src/protocol/operations.js";
import { root } from "../support/root.js";

test("docs/handler.md has a row for each operation, with its method", () => {
  const rows = [...readFileSync(`${root}docs/handler.md`, "utf8").matchAll(/^\| (\w+) \| `(\w+)` \|/gm)].map(
    ([, name, method]) => [name, method],
  );
  assert.deepEqual(rows.sort(), operations.map((row) => [row.name, handlerMethod(row)]).sort());
});
