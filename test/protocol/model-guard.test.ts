import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { test } from "vitest";
import { mutateValue } from "../../bench/fuzz/mutate.js";
import { Random } from "../../bench/random.js";
import { memberTexts as messages } from "../../generated/v1.0/fields.js";
import * as validators from "../../generated/v1.0/validators.js";
import { violationOf } from "../../src/json/violation.js";
import type { Validator } from "../../src/protocol/model.js";
import { modelGuard } from "../../src/protocol/model-guard.js";
import type { MessageName } from "../../src/protocol/operations.js";

interface Fixtures {
  readonly valid: readonly { readonly value: unknown }[];
  readonly invalid: readonly { readonly value: unknown }[];
}

const fixtures: Readonly<Record<string, Fixtures>> = JSON.parse(
  readFileSync(new URL("../../generated/v1.0/fixtures.json", import.meta.url), "utf8"),
);
const generated = validators as unknown as Readonly<Record<string, Validator<unknown>>>;

/** Mutants of each type; `MUTANTS` asks for more. */
const mutants = Number(process.env.MUTANTS ?? 200);

/** What a guard says of a value. */
function verdict(isValid: Validator<unknown>, value: unknown): unknown {
  if (isValid(value)) return "valid";
  const [fault] = isValid.errors ?? [];
  assert.ok(fault);
  const { instancePath, keyword, params } = fault;
  return { instancePath, keyword, params, violation: violationOf(isValid.errors) };
}

function compare(type: string, value: unknown): unknown {
  const expected = verdict(generated[`is${type}`]!, value);
  const found = verdict(modelGuard(type as MessageName), value);
  if (!isDeepStrictEqual(found, expected))
    assert.deepEqual(found, expected, `${type} ${JSON.stringify(value)}`);
  return expected;
}

for (const type of Object.keys(messages)) {
  const { valid, invalid } = fixtures[type]!;

  test(`the interpreting guard of ${type} says of each fixture what the generated one says`, () => {
    for (const { value } of valid) assert.equal(compare(type, value), "valid");
    for (const { value } of invalid) assert.notEqual(compare(type, value), "valid");
  });

  test(`the interpreting guard of ${type} says of mutants what the generated one says`, () => {
    const random = new Random(20_261_123);
    const values = [...valid, ...invalid].map(({ value }) => value);
    for (let count = 0; count < mutants; count++) compare(type, mutateValue(random, random.pick(values)));
  });
}

test("mutants reach every kind of fault, and some of them are valid", () => {
  const random = new Random(7);
  const found = new Set<string>();
  for (let count = 0; count < 5_000; count++) {
    const type = random.pick(Object.keys(messages));
    const { valid, invalid } = fixtures[type]!;
    const { value } = random.pick(random.chance(0.5) ? valid : invalid);
    const said = compare(type, mutateValue(random, value));
    found.add(typeof said === "string" ? said : (said as { keyword: string }).keyword);
  }
  for (const keyword of [
    ...["valid", "type", "required", "closed", "exactlyOne", "enum"],
    ...["minLength", "minItems", "minimum", "maximum", "format"],
  ])
    assert.ok(found.has(keyword), keyword);
});

test("members that are undefined count as absent, and keys of maps are escaped in the path", () => {
  compare("Task", { id: undefined, status: { state: "TASK_STATE_WORKING" } });
  compare("Part", { text: "x", raw: undefined, unknown: undefined });
  compare("SecurityRequirement", { schemes: { "a/b~c": { list: [1] }, gone: undefined } });
  compare("Message", { messageId: "m", role: "ROLE_USER", parts: [undefined] });
  compare("GetTaskRequest", { id: "t", historyLength: Number.NaN });
  compare("GetTaskRequest", { id: "t", historyLength: Number.POSITIVE_INFINITY });
  compare("Task", undefined);
});
