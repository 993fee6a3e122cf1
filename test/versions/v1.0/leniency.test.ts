import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { test } from "vitest";
import { A2AError } from "../../../src/protocol/errors.js";
import { type OperationName, operations } from "../../../src/protocol/operations.js";
import { type FieldRow, snakeCase } from "../../../src/versions/proto-json.js";
import { codec } from "../../../src/versions/v1.0/codec.js";
import { enums, messages } from "../../../src/versions/v1.0/fields.js";

interface Fixture {
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
  readonly rule: string;
}

const fixtures = JSON.parse(
  readFileSync(new URL("../../../generated/v1.0/fixtures.json", import.meta.url), "utf8"),
) as Record<string, { valid: Fixture[]; invalid: Fixture[] }>;

const decode = (name: OperationName, value: unknown): unknown => codec.decodeRequest(name, value);

for (const { name, request } of operations) {
  const { valid, invalid } = fixtures[request]!;

  test(`every valid ${request} is accepted as a request of ${name}`, () => {
    for (const fixture of valid) {
      if (name === "CreateTaskPushNotificationConfig" && !(fixture.value as { taskId?: string }).taskId)
        continue;
      assert.equal(decode(name, fixture.value), fixture.value, fixture.name);
    }
  });

  test(`ERR-12, JSON-08: every invalid ${request} is refused by ${name} with the path of the fault`, () => {
    for (const fixture of invalid) {
      assert.throws(
        () => decode(name, fixture.value),
        (error) => error instanceof A2AError && error.violations[0]?.field === fixture.path,
        `${fixture.name} at ${fixture.path}`,
      );
    }
  });

  test(`JSON-02, JSON-04, JSON-10, JSONV-02, JSONV-05, JSONV-08, JSONV-13: any lenient spelling of a ${request} decodes for ${name} to the canonical one`, () => {
    const value = fc.constantFrom(...valid.map((fixture) => fixture.value));
    fc.assert(
      fc.property(value, fc.infiniteStream(fc.nat(1000)), (canonical, dice) => {
        const { taskId = undefined } = canonical as { taskId?: string };
        fc.pre(name !== "CreateTaskPushNotificationConfig" || Boolean(taskId));
        const spelled = respell(request, canonical, () => dice.next().value);
        const text = JSON.stringify(spelled);
        assert.deepEqual(knownOf(decode(name, spelled)), canonical);
        assert.equal(JSON.stringify(spelled), text, "the input was changed");
      }),
    );
  });
}

/** Unknown members travel on in what carries them, and are none of a canonical spelling. */
function knownOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member) => (key === "unknownMember" ? undefined : member));
}

test("ERR-23: arbitrary JSON is decoded or refused with INVALID_PARAMS, never anything else", () => {
  const operation = fc.constantFrom(...operations.map(({ name }) => name));
  fc.assert(
    fc.property(operation, fc.jsonValue(), (name, value) => {
      try {
        decode(name, value);
      } catch (error) {
        assert.equal(A2AError.from(error).code, "INVALID_PARAMS");
      }
    }),
  );
});

test("ERR-23: a request with one member replaced by arbitrary JSON is decoded or refused with INVALID_PARAMS", () => {
  const names = Object.values(messages).flatMap((fields) => fields.map(({ name }) => name));
  const member = fc.constantFrom(...names);
  const request = fc.constantFrom(
    ...fixtures.SendMessageRequest!.valid.map((fixture) => fixture.value as object),
  );
  fc.assert(
    fc.property(request, member, fc.jsonValue(), (value, name, junk) => {
      const broken = JSON.parse(JSON.stringify(value), (key, old) => (key === name ? junk : old));
      try {
        decode("SendMessage", broken);
      } catch (error) {
        assert.equal(A2AError.from(error).code, "INVALID_PARAMS");
      }
    }),
  );
});

type Dice = () => number;

/** Writes a value of a message in some other spelling that means the same. */
function respell(message: string, value: unknown, dice: Dice): unknown {
  const given = value as Record<string, unknown>;
  const result: [string, unknown][] = [];
  for (const field of (messages as Record<string, readonly FieldRow[]>)[message] ?? []) {
    const snake = snakeCase(field.name);
    if (!(field.name in given)) {
      if (field.kind !== "any" && dice() % 3 === 0) result.push([field.name, null]);
      continue;
    }
    const spelled = respellField(field, given[field.name], dice);
    if (dice() % 2 === 0) result.push([snake, spelled]);
    else
      result.push(
        [field.name, spelled],
        ...(snake === field.name ? [] : [[snake, "loses"] as [string, unknown]]),
      );
  }
  if (dice() % 2 === 0) result.push(["unknownMember", { deep: [1] }], ["kind", "x"]);
  return Object.fromEntries(dice() % 2 === 0 ? result : result.reverse());
}

function respellField(field: FieldRow, value: unknown, dice: Dice): unknown {
  const one = (member: unknown) => respellValue(field, member, dice);
  if (field.repeated) return (value as unknown[]).map(one);
  if (!field.map) return one(value);
  return Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, one(member)]));
}

function respellValue({ kind, type = "" }: FieldRow, value: unknown, dice: Dice): unknown {
  if (kind === "message") return respell(type, value, dice);
  if (kind === "enum")
    return dice() % 2 === 0 ? (enums as Record<string, Record<string, number>>)[type]![String(value)] : value;
  if (kind === "int32") return [value, String(value), `${value}.0`, `${value}e0`][dice() % 4];
  if (kind === "bytes") return [value, String(value).replace(/=+$/, ""), urlSafe(String(value))][dice() % 3];
  if (kind === "timestamp")
    return [value, String(value).replace("Z", "+00:00"), shifted(String(value))][dice() % 3];
  return value;
}

function urlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

/** The same instant, written two hours to the east. */
function shifted(utc: string): string {
  const [, fraction = ""] = /(\.\d+)?Z$/.exec(utc) ?? [];
  const local = new Date(Date.parse(utc.replace(/\.\d+/, "")) + 2 * 3_600_000).toISOString();
  return `${local.slice(0, 19)}${fraction}+02:00`;
}
