import assert from "node:assert/strict";
import { test } from "vitest";
import { emitValidators } from "../../codegen/emit/validators.js";
import { importEmitted } from "./import-emitted.js";
import { tinySpec } from "./tiny.js";

const { isItem } = await importEmitted(emitValidators(tinySpec()));
assert.ok(isItem);

function takes(member: string, value: unknown): boolean {
  return isItem?.({ id: "a", choices: [{ word: "w" }], [member]: value }) ?? false;
}

for (const text of [
  "2026-01-31T12:34:56Z",
  "2026-12-31T23:59:59.999999999Z",
  "2026-04-30T00:00:00.1Z",
  "2024-02-29T00:00:00Z",
  "2000-02-29T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
]) {
  test(`JSONV-10: the timestamp ${text} is canonical`, () => assert.ok(takes("made", text)));
}

for (const text of [
  "2026-01-31T12:34:56+00:00",
  "2026-01-31T12:34:56z",
  "2026-01-31 12:34:56Z",
  "2026-01-31T12:34Z",
  "2026-01-31T12:34:56.Z",
  "2026-01-31T12:34:56.1234567890Z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T12:60:00Z",
  "2026-01-31T12:34:60Z",
  "2026-00-10T00:00:00Z",
  "2026-13-10T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-01-32T00:00:00Z",
  "2026-02-29T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "0000-01-01T00:00:00Z",
  " 2026-01-31T12:34:56Z",
  "2026-01-31T12:34:56Z\n",
  "26-01-31T12:34:56Z",
]) {
  test(`JSONV-12: the timestamp ${JSON.stringify(text)} is not canonical`, () =>
    assert.ok(!takes("made", text)));
}

for (const length of [0, 1, 2, 3, 4, 31, 32]) {
  test(`JSONV-08: ${length} bytes in base64 with padding are canonical`, () => {
    assert.ok(takes("image", Buffer.alloc(length, 0xfb).toString("base64")));
  });
}

for (const text of [
  "AAA",
  "AA",
  "A",
  "=",
  "====",
  "A===",
  "AA=A",
  "AA==AA==",
  "AB==",
  "AAB=",
  "-_-_",
  "AAAA\n",
  " AAAA",
]) {
  test(`JSONV-08: ${JSON.stringify(text)} is not canonical base64`, () => assert.ok(!takes("image", text)));
}

test("long base64 is checked without running out of stack", () => {
  const long = "A".repeat(16 * 1024 * 1024);
  assert.ok(takes("image", long));
  assert.ok(!takes("image", `${long}!AAA`));
});
