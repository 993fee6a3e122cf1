import assert from "node:assert/strict";
import { test } from "vitest";
import { importSchema } from "../../../codegen/import/import-schema.js";
import { readContract } from "../../schema/read-contract.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOfNewest, newestVersion, nextCode, nextVersion } from "./newest.js";
import { scratch } from "./scratch.js";

test("the facts that the drill begins with are those of the newest version, and its version and code are free", async (t) => {
  const place = await scratch(["schema"]);
  t.onTestFinished(() => place.remove());
  const file = await place.file("a2a.proto", factsAsProto(factsOfNewest()));
  const { lines, exitCode } = await importSchema(place.root, { file, version: newestVersion });
  assert.deepEqual([exitCode, lines[1]], [0, "Nothing differs."], lines.join("\n"));
  assert.throws(() => readContract(nextVersion), /ENOENT/);
  const { operations } = readContract("1.0");
  assert.ok(!operations.errors.some(({ jsonRpcCode }) => jsonRpcCode === nextCode));
});
