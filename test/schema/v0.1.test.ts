import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { errors } from "../../generated/v0.1/errors.js";
import { operations } from "../../generated/v0.1/operations.js";
import { differences } from "./differences.js";

type Json = any;

const read = (path: string): Json =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));
const schema = read("schema/v0.1/a2a.schema.json");
const facts = read("test/facts/v0.1.json");

/** The type of a member in the words of the facts. */
function typeOf(shape: Json): string {
  if (shape.$ref) return shape.$ref.replace("#/$defs/", "");
  if (shape.type === "array") return `${typeOf(shape.items)}[]`;
  if (shape.const) return `const ${shape.const}`;
  return shape.format === "date-time" ? "timestamp" : (shape.type ?? "any");
}

function membersOf({ properties, required = [] }: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, shape]) => [
      name,
      typeOf(shape) + (required.includes(name) ? "*" : ""),
    ]),
  );
}

/** The types in the draft's own terms: there the two kinds of events are types, and roles have none. */
function derivedTypes(): Record<string, unknown> {
  const { TaskUpdateEvent: event, Role: role, ...definitions } = schema.$defs;
  const types = Object.entries<Json>(definitions).map(([name, it]) => {
    if (it.enum) return [name, it.enum];
    return [name, it.oneOf ? it.oneOf.map(typeOf).join("|") : membersOf(it)];
  });
  const { status, artifact, final, ...rest } = membersOf(event);
  return {
    ...Object.fromEntries(types),
    TaskStatusUpdateEvent: { ...rest, status: `${status}*`, final },
    TaskArtifactUpdateEvent: { ...rest, artifact: `${artifact}*` },
    Message: { ...membersOf(definitions.Message), role: `${role.enum.join("|")}*` },
  };
}

test("the types are those of the facts, but for lists as data, which the draft's text allows and its schema forgot", () => {
  const expected = { ...facts.types, TaskState: facts.types.TaskState.split("|").sort() };
  const derived: Json = derivedTypes();
  derived.TaskState = [...derived.TaskState].sort();
  assert.deepEqual(differences(expected, derived), ['DataPart.data: facts "object*", schema "any*"']);
});

test("the methods are those of the facts", () => {
  const events = "TaskStatusUpdateEvent|TaskArtifactUpdateEvent";
  const named = { TaskUpdateEvent: events } as Readonly<Record<string, string>>;
  const derived = Object.fromEntries(
    operations.map(({ method, request, response }) => [
      method,
      { params: request, result: named[response] ?? response },
    ]),
  );
  // The draft's schema has no answer for this one; its text says that it is that of a send.
  facts.methods["tasks/resubscribe"].result = events;
  assert.deepEqual(differences(facts.methods, derived), []);
});

test("the errors are those of the facts, and the one that only the draft's text knows", () => {
  const derived = Object.fromEntries(
    Object.values(errors).map(({ name, jsonRpcCode: code, message }) => [
      name === "ParseError" ? "JSONParseError" : name,
      { code, message },
    ]),
  );
  assert.deepEqual(differences(facts.errors, derived), [
    'ContentTypeNotSupportedError: facts nothing, schema {"code":-32005,"message":"Incompatible content types"}',
  ]);
});

test("every type, member and value has a description of its own", () => {
  const described: string[] = Object.values<Json>(schema.$defs).flatMap((it) => [
    it.description,
    ...Object.values<Json>(it.properties ?? {}).map(({ description }) => description),
    ...(it.enum ?? []).map((value: string) => it["x-enum-descriptions"][value]),
  ]);
  assert.deepEqual(
    described.filter((text) => !/^[A-Z`].*\.$/.test(text ?? "")),
    [],
  );
});
