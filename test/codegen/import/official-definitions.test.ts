import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { diffSchema } from "../../../codegen/import/diff-schema.js";
import { importSchema } from "../../../codegen/import/import-schema.js";
import { readProto } from "../../../codegen/import/read-proto.js";
import { root as repository } from "../../support/root.js";
import { type Scratch, schemasTo10, scratch } from "./scratch.js";

/** A document of `schema/`. */
type Json = any;

const folder = join(dirname(fileURLToPath(import.meta.url)), "definitions");
const pathTo = (name: string) => join(folder, `${name}.proto`);

async function place(
  t: { onTestFinished: (end: () => Promise<void>) => void },
  folders: readonly string[] = schemasTo10,
): Promise<Scratch> {
  const made = await scratch(folders);
  t.onTestFinished(() => made.remove());
  return made;
}

async function imported(root: string, version: string): Promise<{ $defs: Json; operations: Json[] }> {
  const read = async (file: string) =>
    JSON.parse(await readFile(join(root, `schema/v${version}`, file), "utf8"));
  return { ...(await read("a2a.schema.json")), ...(await read("operations.json")) };
}

const routesOf = (operations: Json[]) => Object.fromEntries(operations.map(({ name, http }) => [name, http]));

/** The type of a member, as `schema/v0.3/grpc.json` writes it. */
function typeOf({ $ref, type, format, items, additionalProperties, ...marks }: Json): string {
  if (items !== undefined) return `repeated ${typeOf(items)}`;
  if ($ref !== undefined) return $ref.slice("#/$defs/".length);
  if (type === "object")
    return additionalProperties?.type || additionalProperties?.$ref
      ? `map ${typeOf(additionalProperties)}`
      : "struct";
  if (type === "boolean") return "bool";
  if (format === "date-time") return "timestamp";
  return { byte: "bytes", int32: "int32" }[format as string] ?? (marks["x-proto"] ? "struct" : type);
}

test("a definition in the manner of 0.3 is read: its messages, numbers, groups and methods are those that its gRPC binding has", async () => {
  const { definitions, operations = [], service } = readProto(await readFile(pathTo("v0.3"), "utf8"));
  const grpc: Json = JSON.parse(await readFile(join(repository, "schema/v0.3/grpc.json"), "utf8"));
  assert.equal(service, grpc.service);
  for (const [name, members] of Object.entries<Record<string, string>>(grpc.messages)) {
    const { properties = {}, ...definition }: Json = definitions[name];
    const group = definition["x-oneof"];
    const grouped = (definition.oneOf ?? []).flatMap(({ required = [] }: Json) => required);
    const read = Object.entries<Json>(properties).map(([member, property]) => [
      member,
      `${typeOf(property)} ${property["x-number"]}${grouped.includes(member) ? ` of ${group}` : ""}`,
    ]);
    const known = Object.entries(members).map(([member, text]) => [member, text.replace(/ as \w+$/, "")]);
    assert.deepEqual(Object.fromEntries(read), Object.fromEntries(known), name);
  }
  for (const [name, values] of Object.entries<string[]>(grpc.enums))
    assert.deepEqual(definitions[name]?.enum, values);
  assert.deepEqual(
    operations.map(({ name, request, response, streaming }) => [name, request, response, streaming]),
    Object.entries<Json>(grpc.methods).map(([name, { request, response, streaming = false }]) => [
      name,
      request,
      response,
      streaming,
    ]),
  );
});

test("a definition in the manner of 0.3 is imported with its partial body and its names of resources", async (t) => {
  const { root } = await place(t, ["schema/v1.0"]);
  const { lines, exitCode } = await importSchema(root, { file: pathTo("v0.3"), version: "0.3" });
  assert.equal(exitCode, 0, lines.join("\n"));
  assert.match(
    lines[0] ?? "",
    /schema\/v0\.3 from a protocol definition \(a2a\.v1\.A2AService\), against 1\.0/,
  );
  const { $defs, operations } = await imported(root, "0.3");
  const { GetTask, CreateTaskPushNotificationConfig, GetTaskPushNotificationConfig } = routesOf(operations);
  assert.deepEqual(GetTask, [{ verb: "GET", path: "/v1/{name=tasks/*}" }]);
  assert.deepEqual(CreateTaskPushNotificationConfig, [
    { verb: "POST", path: "/v1/{parent=tasks/*/pushNotificationConfigs}", body: "config" },
  ]);
  assert.deepEqual(GetTaskPushNotificationConfig, [
    { verb: "GET", path: "/v1/{name=tasks/*/pushNotificationConfigs/*}" },
  ]);
  // `update` in the definition is `message` in JSON.
  assert.equal($defs.TaskStatus.properties.message["x-number"], 2);
  assert.equal($defs.SendMessageRequest.properties.message["x-number"], 1);
  assert.deepEqual($defs.CreateTaskPushNotificationConfigRequest.required, ["parent", "configId", "config"]);
});

test("a definition in the manner of the candidates of 1.0 is imported: nothing of 1.0 stays that it has no member for", async (t) => {
  const { root } = await place(t);
  await mkdir(join(root, "src"));
  const { lines, exitCode } = await importSchema(root, { file: pathTo("v1.0-rc"), version: "1.0" });
  assert.equal(exitCode, 0, lines.join("\n"));
  const { $defs, operations } = await imported(root, "1.0");
  const { SubscribeToTask, SetTaskPushNotificationConfig } = routesOf(operations);
  // 1.0 has a route with POST and {id} beside these.
  assert.deepEqual(SubscribeToTask, [
    { verb: "GET", path: "/v1/{name=tasks/*}:subscribe" },
    { verb: "GET", path: "/{tenant}/v1/{name=tasks/*}:subscribe" },
  ]);
  assert.deepEqual(SetTaskPushNotificationConfig, [
    { verb: "POST", path: "/v1/{parent=tasks/*/pushNotificationConfigs}", body: "config" },
    { verb: "POST", path: "/{tenant}/v1/{parent=tasks/*/pushNotificationConfigs}", body: "config" },
  ]);
  const card = operations.find(({ name }) => name === "GetExtendedAgentCard");
  assert.equal(card.capability, null);
  assert.ok(
    lines.includes(
      "    operation GetExtendedAgentCard: AgentCapabilities has no extendedAgentCard, so it needs none",
    ),
    lines.join("\n"),
  );
  const { url, additionalInterfaces, supportsExtendedAgentCard } = $defs.AgentCard.properties;
  assert.deepEqual(
    [url.deprecated, url["x-presence"], additionalInterfaces.deprecated],
    [true, "explicit", true],
  );
  assert.equal(supportsExtendedAgentCard["x-presence"], "explicit");
  assert.equal($defs.ListTasksRequest.properties.lastUpdatedAfter.format, "int64");
  assert.equal($defs.Part["x-oneof"], "part");
  assert.equal($defs.TaskState.enum[5], "TASK_STATE_CANCELLED");
});

test("a definition is compared with a version that has field numbers, and replaces one of another form with --force only", async (t) => {
  const { root } = await place(t);
  const file = pathTo("v0.3");
  const compared = await diffSchema(root, { file, version: "0.3" });
  assert.deepEqual(
    [compared.exitCode, compared.lines[1]],
    [2, "schema/v0.3 has another form; one of 1.0 is named with --base"],
  );
  const against = await diffSchema(root, { file, version: "0.3", base: "1.0" });
  assert.deepEqual([against.exitCode, against.lines[0]], [1, `${file} against schema/v1.0`]);
  const replaced = await importSchema(root, { file, version: "0.3" });
  assert.deepEqual(
    [replaced.exitCode, replaced.lines[1]],
    [2, "schema/v0.3 has another form: an import replaces it, and its codec no longer fits"],
  );
  const nameless = await diffSchema(root, { file });
  assert.equal(nameless.lines[0], `${file} against schema/v1.0`);
  const wrong = await importSchema(root, { file, version: "1.0" });
  assert.deepEqual(
    [wrong.exitCode, wrong.lines.at(-1)],
    [2, "if this is the file that was meant, add --force"],
  );
});

test("of an enum whose values are all new, the first one counts as nothing else", async (t) => {
  const { root, file } = await place(t, ["schema/v1.0"]);
  await mkdir(join(root, "src"));
  const text = (await readFile(pathTo("v1.0-rc"), "utf8")).replace(
    /enum Role \{[^}]*\}/,
    "enum Role { NOBODY = 0; CALLER = 11; MODEL = 12; }",
  );
  const path = await file("a2a.proto", text);
  const { lines, exitCode } = await importSchema(root, { file: path, version: "1.0" });
  assert.equal(exitCode, 0, lines.join("\n"));
  const { $defs } = await imported(root, "1.0");
  assert.deepEqual($defs.Role["x-enum-fallbacks"], { "*": "NOBODY", CALLER: "NOBODY", MODEL: "NOBODY" });
});
