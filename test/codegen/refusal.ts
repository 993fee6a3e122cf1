import assert from "node:assert/strict";
import { type Json, refusals } from "./tiny.js";

/** A change to the schema, and the one line with which it is refused. */
export type Refusal = readonly [what: string, change: (schema: Json) => void, line: string];

/** Asserts that the line is among the problems of the changed schema. */
export function assertRefused([, change, line]: Refusal): void {
  const lines = refusals(({ schema }) => change(schema));
  assert.ok(
    lines.includes(`schema.json#${line}`),
    `expected\n  schema.json#${line}\ngot\n  ${lines.join("\n  ")}`,
  );
}
