import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { importSchema } from "../../../codegen/import/import-schema.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOf10, schemasTo10, scratch } from "./scratch.js";

test("new values of enums and a new error count as something that is there, and the report says what", async (t) => {
  const place = await scratch(schemasTo10);
  t.onTestFinished(() => place.remove());
  const facts = factsOf10();
  Object.assign(facts.enums.TaskState ?? {}, { TASK_STATE_PAUSED: 9 });
  const file = await place.file("a2a.proto", factsAsProto(facts));
  const errors = [
    { name: "TaskPausedError", jsonRpcCode: -32010, httpStatus: 409, message: undefined },
    { name: "LedgerLostError", jsonRpcCode: -32011, httpStatus: 503, message: "Gone" },
  ];
  const { lines } = await importSchema(place.root, { file, version: "1.6", errors });
  assert.equal(
    lines.at(-1),
    "next: npm run codegen, npm run schema:adopt -- 1.6, npm run docs, then npm run check",
  );
  const at = lines.indexOf("Decided for now:");
  assert.deepEqual(lines.slice(at + 1, -1), [
    "    TaskState.TASK_STATE_PAUSED counts as TASK_STATE_WORKING (x-enum-fallbacks)",
    "    error TASK_PAUSED is HTTP 409 FAILED_PRECONDITION, any operation may answer with it, and versions without it say INVALID_REQUEST (operations.json)",
    "    error LEDGER_LOST is HTTP 503 UNAVAILABLE, any operation may answer with it, and versions without it say INTERNAL_ERROR (operations.json)",
    "Undecided in src/versions/v1.6/decisions.ts:",
    "    error TASK_PAUSED",
    "    error LEDGER_LOST",
  ]);
  const read = async (name: string) =>
    JSON.parse(await readFile(join(place.root, "schema/v1.6", name), "utf8"));
  assert.deepEqual((await read("a2a.schema.json")).$defs.TaskState["x-enum-fallbacks"], {
    "*": "TASK_STATE_WORKING",
    TASK_STATE_PAUSED: "TASK_STATE_WORKING",
  });
  const { errors: rows, commonErrors } = await read("operations.json");
  assert.deepEqual(commonErrors.slice(-2), ["TASK_PAUSED", "LEDGER_LOST"]);
  assert.deepEqual(
    rows.find(({ code }: { code: string }) => code === "TASK_PAUSED"),
    {
      code: "TASK_PAUSED",
      name: "TaskPausedError",
      jsonRpcCode: -32010,
      httpStatus: 409,
      jsonRpcHttpStatus: 200,
      status: "FAILED_PRECONDITION",
      message: "Task paused",
      description: "Not described yet.",
      kind: "protocol",
      fallback: "INVALID_REQUEST",
    },
  );
});
