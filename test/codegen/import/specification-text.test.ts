import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { diffSchema } from "../../../codegen/import/diff-schema.js";
import { importSchema } from "../../../codegen/import/import-schema.js";
import { readText } from "../../../codegen/import/read-text.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOf10, type Scratch, schemasTo10, scratch } from "./scratch.js";
import { sentences, specificationText, tables } from "./specification-text.js";

async function place(t: { onTestFinished: (end: () => Promise<void>) => void }): Promise<Scratch> {
  const made = await scratch([...schemasTo10, "src/versions/v0.3"]);
  t.onTestFinished(() => made.remove());
  return made;
}

/** 1.0 with a counter of changes, a read that waits for one, an error and an operation. */
function laterProto(): string {
  const facts = factsOf10();
  Object.assign(facts.messages.Task?.fields ?? {}, { generation: { number: 7, type: "int64" } });
  Object.assign(facts.messages.GetTaskRequest?.fields ?? {}, {
    currentGeneration: { number: 4, type: "int64", explicitPresence: true },
  });
  facts.methods.PriceTask = {
    request: "GetTaskRequest",
    response: "Task",
    http: [{ verb: "GET", path: "/tasks/{id=*}:price" }],
  };
  return factsAsProto(facts).replace(
    "int64 generation = 7;",
    "// Counts changes. A server SHOULD begin with 1.\n int64 generation = 7;",
  );
}

function laterText(): string {
  const made = tables();
  made.errors.push([
    ...["`TaskGenerationMismatchError`", "`-32010`", "`ABORTED`", "`409 Conflict`", "`GENERATION_MISMATCH`"],
  ]);
  made.methods.push(["Price", "`PriceTask`", "`PriceTask`", "`GET /tasks/{id}:price`"]);
  const read = made.methods.find(([name]) => name === "GetTask") as string[];
  read[3] += "<br>`POST /tasks/{id}:read`";
  const section = "3.1.3. Get Task";
  return specificationText(made, [
    // The first sentence goes, the last one changes, and one moves.
    ...sentences.slice(1, -1).map((sentence, index) => (index === 0 ? { ...sentence, section } : sentence)),
    { section: "7.4. Transport", text: "Connections in production SHOULD be encrypted." },
    { section, text: "The `generation` of a task MUST go up by one with each change." },
    {
      section,
      text: "A server MAY hold a request with currentGeneration. It SHOULD answer within a minute.",
    },
    { section, text: "The generation of agents that came before us MUST impress you." },
    { section, text: "PriceTask SHOULD be fast." },
  ]);
}

test("the tables of errors and methods and the sentences are read, whatever is around them", () => {
  const { errors, methods, rules } = readText(specificationText());
  assert.deepEqual(errors[0], {
    ...{ name: "TaskNotFoundError", jsonRpcCode: -32001, message: undefined },
    ...{ httpStatus: 404, status: "NOT_FOUND", reason: "TASK_NOT_FOUND" },
  });
  assert.deepEqual([errors.length, methods.length], [9, 11]);
  assert.deepEqual(
    methods.find(({ method }) => method === "SubscribeToTask")?.routes,
    ["POST", "GET"].map((verb) => ({ verb, path: "/tasks/{id}:subscribe" })),
  );
  assert.deepEqual(
    rules.map(({ place, level }) => `${place} ${level}`),
    ["3.1.1 MUST", "3.1.1 SHOULD", "3.1.3 MUST", "3.3.2 MUST", "3.3.2 SHOULD", "3.3.2 MAY", "7.4 MUST"],
  );
  assert.equal(rules[0]?.text, "The answer to a message MUST be a task or a message.");
});

test("tables in other forms are read too: 0.3's methods, links, columns in another order, a reason elsewhere", () => {
  const { errors, methods } = readText(`
| HTTP | Error | JSON-RPC code |
|---|---|---|
| 404 | [TaskNotFoundError](#a) | -32001 (code) |

| Error | Code | ErrorInfo reason |
|:-:|-:|:-|
| \`TaskNotFoundError\` | -32001 | \`TASK_NOT_FOUND\` |

| What | JSON-RPC method | gRPC method | REST |
|---|---|---|---|
| Send | \`message/send\` | SendMessage | \`POST /v1/message:send\` |
| Get | \`tasks/get\` | GetTask | GET /v1/tasks/{task_id=*} |
| Card | - | - | - |
`);
  assert.deepEqual(errors, [
    {
      ...{ name: "TaskNotFoundError", jsonRpcCode: -32001, message: undefined },
      ...{ httpStatus: 404, reason: "TASK_NOT_FOUND" },
    },
  ]);
  assert.deepEqual(methods, [
    { method: "message/send", routes: [{ verb: "POST", path: "/v1/message:send" }] },
    { method: "tasks/get", routes: [{ verb: "GET", path: "/v1/tasks/{taskId}" }] },
  ]);
});

test("an import reads errors, routes and levels from the text, and tells what came, went and changed in it", async (t) => {
  const { root, file } = await place(t);
  const [older, text] = [await file("1.0.md", specificationText()), await file("1.1.md", laterText())];
  const before = await file("1.0.proto", factsAsProto(factsOf10()));
  const first = await importSchema(root, { file: before, version: "1.0", text: older });
  assert.ok(first.lines.includes("Nothing differs."), first.lines.join("\n"));
  const now = await file("1.1.proto", laterProto());
  const { lines, exitCode } = await importSchema(root, { file: now, version: "1.1", text });
  assert.equal(exitCode, 0, lines.join("\n"));
  for (const line of [
    "    error GENERATION_MISMATCH: -32010",
    "    route GetTask: POST /tasks/{id}:read",
    "    rule §3.1.3: MUST: The `generation` of a task MUST go up by one with each change.",
    "    rule §3.1.3: SHOULD: PriceTask SHOULD be fast.",
    "    rule Task.generation: SHOULD: A server SHOULD begin with 1.",
    "    rule §3.1.1: MUST: a sentence, of which no text is kept",
    "    rule §7.4: MUST is SHOULD: Connections in production SHOULD be encrypted.",
    "    Task.generation: MUST",
    "    GetTaskRequest.currentGeneration: MAY",
    "    PriceTask: SHOULD",
    "    request member GetTaskRequest.currentGeneration (MAY by the text)",
    "    response member Task.generation (MUST by the text)",
    "    operation PriceTask (SHOULD by the text)",
  ]) {
    assert.ok(lines.includes(line), `${line}\n${lines.join("\n")}`);
  }
  // What has only moved is no change, nor is code, a remark, or a sentence without a word of obligation.
  assert.equal(lines.filter((line) => line.includes("rule §3.1.1")).length, 1);
  assert.ok(!lines.some((line) => line.includes("passed over")));
  const read = async (path: string) => JSON.parse(await readFile(join(root, "schema/v1.1", path), "utf8"));
  const { errors, operations, levels } = await read("operations.json");
  const row = errors.find(({ name }: { name: string }) => name === "TaskGenerationMismatchError");
  assert.deepEqual(
    [row.code, row.jsonRpcCode, row.httpStatus, row.status],
    ["GENERATION_MISMATCH", -32010, 409, "ABORTED"],
  );
  const { http } = operations.find(({ name }: { name: string }) => name === "GetTask");
  assert.deepEqual(http.at(-1), { verb: "POST", path: "/tasks/{id}:read", textOnly: true });
  assert.deepEqual(levels, {
    ...{ "Task.generation": "MUST", "GetTaskRequest.currentGeneration": "MAY", PriceTask: "SHOULD" },
  });
  // What is kept of the text has none of its words.
  assert.ok(
    !/production|encrypted|generation of/.test(await readFile(join(root, "schema/v1.1/text.json"), "utf8")),
  );
  // Over its own version nothing is left to differ, and no byte changes.
  const bytes = async () =>
    Promise.all(
      ["operations.json", "a2a.schema.json", "text.json"].map((name) =>
        readFile(join(root, "schema/v1.1", name), "utf8"),
      ),
    );
  const was = await bytes();
  const again = await importSchema(root, { file: now, version: "1.1", text });
  assert.ok(again.lines.includes("Nothing differs."), again.lines.join("\n"));
  assert.deepEqual(await bytes(), was);
  // Without the text the levels and the route of the text stay.
  await importSchema(root, { file: now, version: "1.1" });
  assert.deepEqual(await bytes(), was);
});

test("schema:diff reports the same of a text, and --base-text shows the sentences that were", async (t) => {
  const { root, file } = await place(t);
  const [baseText, text] = [await file("1.0.md", specificationText()), await file("1.1.md", laterText())];
  const now = await file("1.1.proto", laterProto());
  const alone = await diffSchema(root, { file: now, text });
  assert.ok(alone.lines.some((line) => line.includes("nothing is known of the text of 1.0")));
  assert.ok(alone.lines.includes("    3.1.3: SHOULD: PriceTask SHOULD be fast."), alone.lines.join("\n"));
  const { lines, exitCode } = await diffSchema(root, { file: now, text, baseText });
  assert.equal(exitCode, 1);
  for (const line of [
    "    rule §3.1.1: MUST: The answer to a message MUST be a task or a message.",
    "    rule §7.4: MUST is SHOULD: Connections in production SHOULD be encrypted. (was: Connections in production MUST be encrypted.)",
  ]) {
    assert.ok(lines.includes(line), `${line}\n${lines.join("\n")}`);
  }
  const same = await file("1.0.proto", factsAsProto(factsOf10()));
  const equal = await diffSchema(root, { file: same, text: baseText, baseText });
  assert.deepEqual([equal.exitCode, equal.lines[1]], [0, "Nothing differs."]);
});
