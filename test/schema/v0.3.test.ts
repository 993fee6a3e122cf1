import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { errors } from "../../generated/v0.3/errors.js";
import { operations } from "../../generated/v0.3/operations.js";
import { differences } from "./differences.js";

type Json = any;

const read = (path: string): Json =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));
const schema = read("schema/v0.3/a2a.schema.json");
const facts = read("test/facts/v0.3.json");
const definitions: Record<string, Json> = schema.$defs;

/** Types that only our normal form has a name for; the facts write out what they hold. */
const named = [
  "Role",
  "APIKeyLocation",
  "FileContent",
  "ScopeList",
  "SecurityRequirement",
  "TaskPushNotificationConfigList",
  "SendMessageResult",
  "StreamEvent",
];

/** Types of the facts that hold what others share: the members stand in each of those here. */
const bases = ["FileBase", "PartBase", "SecuritySchemeBase"];

/** The type of a member in the words of the facts. */
function typeOf(shape: Json): string {
  const target: string | undefined = shape.$ref?.replace("#/$defs/", "");
  if (target === "FileContent") return "FileWithBytes|FileWithUri";
  if (target) return named.includes(target) ? typeOf(definitions[target]) : target;
  if (shape.enum) return shape.enum.join("|");
  if (shape.oneOf) return shape.oneOf.map(typeOf).join("|");
  if (shape.type === "array") return `${typeOf(shape.items)}[]`;
  if (shape.const) return `const ${shape.const}`;
  if (shape.additionalProperties) return `map<${typeOf(shape.additionalProperties)}>`;
  return shape.type;
}

function membersOf({ properties, required = [] }: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, shape]) => [
      name,
      typeOf(shape) + (required.includes(name) ? "*" : ""),
    ]),
  );
}

/** The types in the terms of the facts, where a file with bytes and one with an address are two types. */
function derivedTypes(): Record<string, unknown> {
  const { bytes, uri, ...file } = membersOf(definitions.FileContent);
  return {
    ...Object.fromEntries(
      Object.entries(definitions)
        .filter(([name]) => !named.includes(name) && name !== "GetAuthenticatedExtendedCardParams")
        .map(([name, it]) => [name, it.properties ? membersOf(it) : typeOf(it)]),
    ),
    FileWithBytes: { ...file, bytes: `${bytes}*` },
    FileWithUri: { ...file, uri: `${uri}*` },
  };
}

test("every type of 0.3 is the one of the facts, member by member", () => {
  for (const name of bases) delete facts.types[name];
  assert.equal(Object.keys(facts.types).length, 42);
  assert.deepEqual(differences(facts.types, derivedTypes()), []);
});

test("a difference would show", () => {
  const changed: Json = structuredClone(derivedTypes());
  delete changed.Task.contextId;
  assert.deepEqual(differences(facts.types, changed), ['Task.contextId: facts "string*", schema nothing']);
});

test("the methods are those of the facts", () => {
  const derived = Object.fromEntries(
    operations.map(({ method, request, response }) => [
      method,
      {
        params: request === "GetAuthenticatedExtendedCardParams" ? "none" : request,
        result: response === null ? "null" : typeOf({ $ref: `#/$defs/${response}` }),
      },
    ]),
  );
  // The order of the alternatives says nothing.
  const sorted = (methods: Record<string, { params: string; result: string }>) =>
    Object.fromEntries(
      Object.entries(methods).map(([name, { params, result }]) => [
        name,
        {
          params: params.split("|").includes("TaskIdParams") ? params.split("|").at(-1) : params,
          result: result.split("|").sort().join("|"),
        },
      ]),
    );
  assert.deepEqual(differences(sorted(facts.methods), sorted(derived)), []);
});

test("the routes are those of the text of 0.3", () => {
  const configs = "/v1/tasks/{}/pushNotificationConfigs";
  assert.deepEqual(
    operations.flatMap(({ http }) =>
      http.map(({ verb, path }) => `${verb} ${path.replace(/\{\w+\}/g, "{}")}`),
    ),
    [
      "POST /v1/message:send",
      "POST /v1/message:stream",
      "GET /v1/tasks/{}",
      "POST /v1/tasks/{}:cancel",
      "POST /v1/tasks/{}:subscribe",
      "GET /v1/tasks/{}:subscribe",
      `POST ${configs}`,
      `GET ${configs}/{}`,
      `GET ${configs}`,
      `DELETE ${configs}/{}`,
      "GET /v1/card",
    ],
  );
});

test("the errors have the numbers and texts of the facts", () => {
  const derived = Object.fromEntries(
    Object.values(errors)
      .filter(({ kind }) => kind !== "transport")
      .map(({ name, jsonRpcCode: code, message }) => [name, { code, message }]),
  );
  assert.deepEqual(differences(facts.errors, derived), []);
});

test("HTTP+JSON errors of 0.3 have the statuses of its text", () => {
  const statuses = Object.values(errors).map(({ jsonRpcCode, httpStatus }) => [jsonRpcCode, httpStatus]);
  const expected = [
    [-32001, 404],
    [-32002, 400],
    [-32003, 400],
    [-32004, 400],
    [-32005, 400],
    [-32006, 500],
    [-32007, 404],
    [-32700, 400],
    [-32600, 400],
    [-32601, 404],
    [-32602, 400],
    [-32603, 500],
  ];
  assert.deepEqual(statuses.slice(0, expected.length), expected);
});

test("every type, member and value has a description of its own", () => {
  const described: string[] = Object.values(definitions).flatMap((it) => [
    it.description,
    ...Object.values<Json>(it.properties ?? {}).map(({ description }) => description),
    ...(it.enum ?? []).map((value: string) => it["x-enum-descriptions"][value]),
  ]);
  assert.deepEqual(
    described.filter((text) => !/^[A-Z`].*\.$/.test(text ?? "")),
    [],
  );
});
