import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import type { OperationName } from "../../src/protocol/operations.js";
import type { Codec } from "../../src/versions/codec.js";
import { loadCodecs } from "../../src/versions/codecs.js";
import { leastCost, slowTexts } from "../operations/slow-texts.js";

const LENGTH = 32 * 1024;
/** Milliseconds of CPU. What is quadratic takes seconds. */
const BUDGET = 50;

type Json = any;

/** Values that a request may have in a version, whatever operation it is for. */
function payloads(version: string): Json[] {
  const file = new URL(`../../generated/v${version}/fixtures.json`, import.meta.url);
  const fixtures = JSON.parse(readFileSync(file, "utf8")) as Record<string, { valid: { value: Json }[] }>;
  return Object.values(fixtures).flatMap(({ valid }) => valid.map(({ value }) => value));
}

/** What the shapes of the protocol buffers have in 0.3, and no fixture has. */
const named = {
  task: "t",
  config: { name: "tasks/t/pushNotificationConfigs/c", pushNotificationConfig: { url: "https://a.example" } },
};

/** Copies of a value in which one text each is another one. */
function* spoiled(value: Json, text: string): Generator<Json> {
  if (typeof value === "string") yield text;
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const changed of spoiled(member, text)) {
      yield Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed };
    }
  }
}

/** The request with most members among those that an operation takes. */
function largest(read: (value: Json) => boolean, values: readonly Json[]): Json {
  const size = (value: Json) => JSON.stringify(value).length;
  return values.filter(read).sort((one, other) => size(other) - size(one))[0];
}

/** Has a request read in the dialect in which it is written; whether it is taken. */
function reader(codec: Codec, name: OperationName, method: string | undefined) {
  return (value: Json): boolean => {
    const dialect = codec.dialectOf?.({ method, value }) ?? codec;
    try {
      return dialect.decodeRequest(name, value) !== undefined;
    } catch {
      return false;
    }
  };
}

for (const [version, codec] of await loadCodecs()) {
  test(`SEC-08: whatever text is in a member of a request, ${version} reads it in linear time`, async () => {
    const texts = slowTexts(LENGTH);
    texts["names of resources"] = `${"/pushNotificationConfigs/a".repeat(10_000)}\n`;
    const values = payloads(version === "0.1-flat" ? "0.1" : version);
    const names = new Set([...codec.methods.values()].map(({ name }) => name));
    for (const name of names) {
      for (const method of [undefined, "x"]) {
        const read = reader(codec, name, method);
        const requests = [largest(read, values), named].filter((value) => value && read(value));
        for (const [what, text] of Object.entries(texts)) {
          for (const request of requests.flatMap((value) => [...spoiled(value, text)])) {
            const cost = await leastCost(BUDGET, () => read(request));
            assert.ok(cost < BUDGET, `${name} with ${what}: ${cost} ms`);
          }
        }
      }
    }
  });
}
