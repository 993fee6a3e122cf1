import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, test } from "vitest";
import { adoptVersion } from "../../../codegen/import/adopt-version.js";
import { importSchema } from "../../../codegen/import/import-schema.js";
import type { Facts } from "../../schema/read-contract.js";
import { factsAsProto } from "../import/facts-as-proto.js";
import { factsOfNewest, newestVersion, nextCode, nextVersion } from "../import/newest.js";
import { type Scratch, scratch } from "../import/scratch.js";
import { compile, decide, generate, listedVersions } from "./copy.js";

/** The report of a run. */
type Json = any;

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const version = nextVersion;

/*
 * The drill of a protocol update, as `npm run check:drill`: it compiles the sources twice, which is too long for every run of
 * the tests. `npm run drill:schema` compiles the tests too and runs all of them, which takes as long as they do.
 */
const isWhole = process.env.DRILL === "whole";
/** Tests that look at what versions say; the others hardly notice which one is the newest. */
const tested = [
  ...["versions", "task-log", "server/bindings", "client/bundle", "codegen/docs", "codegen/import"],
  ...["budget/start-up.test.ts", "conformance/probe.test.ts", "operations/interceptors.test.ts"],
  ...["card-resource", "first-draft", "start-up", "version-0.3"].map((name) => `server/${name}.test.ts`),
].map((path) => `test/${path}`);
/** The projects of `npm test`. */
const everyday = ["--project=shared", "--project=counting"];
/** The table of decisions of the new version. */
const decisions = `src/versions/v${version}/decisions.ts`;
/** What is no part of the repository. */
const left = [".git", ".cache", "node_modules", "dist"];
let place: Scratch;
/** The versions that a card lists before the update. */
let listed: readonly string[];
beforeAll(async () => {
  place = await scratch((await readdir(repository)).filter((name) => !left.includes(name)));
  await symlink(join(repository, "node_modules"), join(place.root, "node_modules"));
  listed = await listedVersions(place.root);
});
afterAll(() => place.remove());

/** Three optional members, a group of which none has to be present, a message, a value of each enum and, beside the artifact, an error that no version has. */
function additive(): Facts {
  const facts = factsOfNewest();
  const add = (message: string, field: object) => Object.assign(facts.messages[message]?.fields ?? {}, field);
  add("Task", { price: { number: 20, type: "Price" } });
  add("Message", { language: { number: 20, type: "string" } });
  add("Part", {
    page: { number: 20, type: "int32", oneof: "position" },
    second: { number: 21, type: "int32", oneof: "position" },
  });
  add("Artifact", { expiresAt: { number: 20, type: "timestamp", explicitPresence: true } });
  facts.messages.Price = { fields: { cents: { number: 1, type: "int32", required: true } } };
  Object.assign(facts.enums.TaskState ?? {}, { TASK_STATE_PAUSED: 9 });
  Object.assign(facts.enums.Role ?? {}, { ROLE_SYSTEM: 3 });
  return facts;
}

/** What the artifact cannot say and is named on the command line. */
const paused = { name: "TaskPausedError", jsonRpcCode: nextCode, httpStatus: 409, message: undefined };

async function bringIn(facts: Facts): Promise<readonly string[]> {
  const file = await place.file("a2a.proto", factsAsProto(facts));
  const { lines, exitCode } = await importSchema(place.root, { file, version, errors: [paused] });
  assert.equal(exitCode, 0, lines.join("\n"));
  return lines;
}

/** Takes the decisions of the import back, so that somebody has to make them. */
async function leaveOpen(): Promise<void> {
  const open = async (name: string, change: (document: any) => void) => {
    const file = join(place.root, `schema/v${version}`, name);
    const document = JSON.parse(await readFile(file, "utf8"));
    change(document);
    await writeFile(file, JSON.stringify(document));
  };
  await open("a2a.schema.json", ({ $defs }) => {
    for (const name of ["TaskState", "Role"]) delete $defs[name]["x-enum-fallbacks"];
  });
  await open("operations.json", ({ errors }) => {
    for (const row of errors) delete row.fallback;
  });
}

test("a version that adds members, a message, values of enums and an error is brought in by commands alone", async () => {
  const lines = await bringIn(additive());
  for (const line of [
    "    message Price: 1 members",
    "    field Task.price: Price, number 20",
    "    field Message.language: string, number 20",
    "    field Artifact.expiresAt: timestamp, number 20, explicit presence",
    "    enum value TaskState.TASK_STATE_PAUSED: number 9",
    "    enum value Role.ROLE_SYSTEM: number 3",
    `    error TASK_PAUSED: ${nextCode}`,
    "    field Part.page: int32, number 20, in group position or none of it",
    "9 differences, none breaking.",
    "Decided for now:",
    "    Part: of the new group position one member or none is present (oneOf in a2a.schema.json)",
    "    TaskState.TASK_STATE_PAUSED counts as TASK_STATE_WORKING (x-enum-fallbacks)",
    "    Role.ROLE_SYSTEM counts as ROLE_AGENT (x-enum-fallbacks)",
  ]) {
    assert.ok(lines.includes(line), `${line}\n${lines.join("\n")}`);
  }
  const at = lines.indexOf(`Undecided in ${decisions}:`);
  assert.deepEqual(lines.slice(at + 1, at + 10), [
    "    request member Part.page",
    "    request member Part.second",
    "    request member Message.language",
    "    response member Task.price",
    "    response member Part.page",
    "    response member Part.second",
    "    response member Message.language",
    "    response member Artifact.expiresAt",
    "    error TASK_PAUSED",
  ]);
  await generate(place.root, version);
  assert.equal((await adoptVersion(place.root, version)).exitCode, 0);
});

test("a row that is left undecided does not compile, and keeps the version out of the card", async () => {
  const table = join(place.root, decisions);
  await decide(table, "Task.price");
  const all = isWhole ? ["src", "test", "examples", "bench", "codegen"] : ["src"];
  const faults = compile(place.root, ...all);
  assert.ok(faults.length > 0);
  assert.deepEqual(
    faults.filter((fault) => !fault.startsWith(`${decisions}: `)),
    [],
    faults.join("\n"),
  );
  assert.deepEqual(await listedVersions(place.root), listed);
  await decide(table);
  assert.deepEqual(await listedVersions(place.root), [version, ...listed]);
});

test("the adopted version is spoken beside the one before, and knows what was added", async () => {
  const load = (file: string) => import(pathToFileURL(join(place.root, file)).href);
  const { loadCodecs, newestCodec } = await load("src/versions/codecs.ts");
  const { callableVersions, newestClientVersion } = await load("src/versions/client-codecs.ts");
  const { loadClientCodec } = await load("src/versions/version-codec.ts");
  assert.equal(newestCodec.version, version);
  assert.equal(newestClientVersion, version);
  const codecs = await loadCodecs();
  assert.deepEqual([...codecs.keys()].slice(0, 2), [version, newestVersion]);
  assert.deepEqual(callableVersions.slice(0, 2), [version, newestVersion]);
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }], language: "mi" };
  for (const codec of codecs.values()) {
    // A draft has the members of the version that it adds to, not those of the next one.
    if (!codec.version.startsWith("1.") || codec.version.endsWith("-draft")) continue;
    assert.equal(codec.decodeRequest("SendMessage", { message }).message.language, "mi");
    assert.throws(
      () => codec.decodeRequest("SendMessage", { message: { ...message, language: 7 } }),
      /language must be a string/,
    );
  }
  const part = { text: "x", page: 1 };
  const { decodeRequest } = newestCodec;
  assert.ok(decodeRequest("SendMessage", { message: { ...message, parts: [part] } }));
  assert.throws(
    () => decodeRequest("SendMessage", { message: { ...message, parts: [{ ...part, second: 2 }] } }),
    /parts\[0\] must have at most one of page, second, not page and second/,
  );
  const task = { id: "t", status: { state: "TASK_STATE_WORKING" }, price: { cents: 7 } };
  const clientCodec = await loadClientCodec(version);
  assert.deepEqual(clientCodec.decodeResponse("GetTask", task), task);
  assert.throws(
    () => clientCodec.decodeResponse("GetTask", { ...task, price: {} }),
    /price\.cents is required/,
  );
  const { TaskFold } = await load("src/task-log/fold.ts");
  assert.deepEqual(new TaskFold({ task, generation: 1 }).snapshot().task, task);
});

test("a new state is what it counts as, and older versions say so", async () => {
  const load = (file: string) => import(pathToFileURL(join(place.root, file)).href);
  const state = "TASK_STATE_PAUSED";
  const { canTransition, isSettled } = await load("src/protocol/lifecycle.ts");
  assert.ok(canTransition("TASK_STATE_WORKING", state));
  assert.ok(canTransition(state, "TASK_STATE_COMPLETED"));
  assert.equal(canTransition("TASK_STATE_COMPLETED", state), false);
  assert.equal(isSettled(state), false);
  const codecs = await (await load("src/versions/codecs.ts")).loadCodecs();
  const message = { messageId: "m", role: "ROLE_SYSTEM", parts: [{ text: "x" }] };
  const task = { id: "t", contextId: "c", status: { state }, history: [message] };
  const { A2AError } = await load("src/protocol/errors.ts");
  const error = new A2AError("TASK_PAUSED");
  const said = [...codecs.values()].map((codec) => {
    const { status, history, metadata } = codec.encodeResponse("GetTask", task, { id: "t" });
    const [{ role } = { role: undefined }] = history ?? [];
    const { code } = codec.encodeError(error);
    return [codec.version, status.state, role, code, metadata?.a2a_state];
  });
  // The versions of the same major share the model with it.
  const minors = [...codecs.keys()].filter((known) => known.split(".")[0] === version.split(".")[0]);
  assert.ok(minors.length > 1);
  assert.deepEqual(said, [
    ...minors.map((minor) => [minor, state, "ROLE_SYSTEM", nextCode, undefined]),
    ["0.3", "working", "agent", -32600, undefined],
    ["0.1-flat", "working", "agent", nextCode, undefined],
    ["0.1", "working", "agent", -32600, state],
  ]);
});

test("the tests pass with the adopted version", () => {
  const report = join(place.root, "tests.json");
  const program = join(repository, "node_modules/vitest/vitest.mjs");
  const { status } = spawnSync(
    process.execPath,
    [program, "run", ...everyday, "--reporter=json", `--outputFile=${report}`, ...(isWhole ? [] : tested)],
    { cwd: place.root, stdio: "ignore" },
  );
  const { testResults, numPassedTests: passed } = JSON.parse(readFileSync(report, "utf8"));
  process.stdout.write(`${passed} tests passed in the copy\n`);
  const failed = testResults.flatMap(({ name, status, message, assertionResults }: Json) => [
    // A file that cannot be loaded has no tests.
    ...(status === "failed" && message ? [`${name}: ${message}`] : []),
    ...assertionResults
      .filter((one: Json) => one.status === "failed")
      .map((one: Json) => `${one.fullName}: ${one.failureMessages}`),
  ]);
  assert.deepEqual([status, failed], [0, []]);
  assert.ok(passed > (isWhole ? 4000 : 1000), `only ${passed} tests ran`);
});

test("with a new operation, and a state and an error without a fallback, the compiler names every place that has to decide", async () => {
  const facts = additive();
  facts.methods.PriceTask = {
    request: "GetTaskRequest",
    response: "Price",
    http: [{ verb: "GET", path: "/tasks/{id=*}:price" }],
  };
  const lines = await bringIn(facts);
  assert.ok(lines.includes("    operation PriceTask: GetTaskRequest -> Price"));
  await leaveOpen();
  await generate(place.root, version);
  const files = new Set(compile(place.root, "src").map((line) => line.split(":")[0] ?? ""));
  const named = lines
    .slice(lines.indexOf("Files that must decide:") + 1, -1)
    .map((line) => line.trim().split(":")[0]);
  // How the engine carries the operation out, and what the versions that share nothing with it say of it; the report names such
  // tables beforehand.
  for (const file of [
    "src/engine/engine.ts",
    ...[decisions, "src/versions/v0.3/decode.ts", "src/versions/v0.3/encode.ts"],
    "src/client/expected-ids.ts",
  ]) {
    assert.ok(files.has(file), `${file} is not among ${[...files].join(", ")}`);
  }
  assert.ok(lines.includes("    operation PriceTask"), lines.join("\n"));
  for (const file of ["src/versions/v0.3/decode.ts", "src/client/expected-ids.ts"])
    assert.ok(named.includes(file), named.join(", "));
  // How a state may follow another, and what those versions say of the state and the error.
  for (const file of [
    "src/protocol/lifecycle.ts",
    "src/versions/v0.3/names.ts",
    "src/versions/v0.1/encode.ts",
  ]) {
    assert.ok(files.has(file), `${file} is not among ${[...files].join(", ")}`);
  }
  const places =
    /^src\/(client\/expected-ids\.ts$|engine\/(engine|open-agent)\.ts$|protocol\/lifecycle\.ts$|versions\/(state-names\.ts$|v0\.|v[\d.]+-draft\/))/;
  const others = [...files].filter((file) => file !== decisions && !places.test(file));
  assert.deepEqual(others, []);
});
