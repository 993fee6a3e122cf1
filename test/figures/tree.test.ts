import assert from "node:assert/strict";
import { test } from "vitest";
import { codeLinesOf } from "./tree.js";

test("lines of code are those with a token: comments and blank lines are none, lines of a template are", () => {
  const text =
    "/** Says so. */\n\n// why\nexport const a = `1\n\n2`;\n\nfunction b() {\n  /* none */\n  return 1; // one\n}\n";
  assert.equal(codeLinesOf({ path: "src/a.ts", text }), 6);
});
