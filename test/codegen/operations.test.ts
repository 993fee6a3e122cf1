import assert from "node:assert/strict";
import { test } from "vitest";
import { emitClient } from "../../codegen/emit/client.js";
import { emitGuards } from "../../codegen/emit/guards.js";
import { emitHandler } from "../../codegen/emit/handler.js";
import { emitOperations } from "../../codegen/emit/operations.js";
import { operations } from "../../generated/v1.0/operations.js";
import { UnimplementedHandler } from "../../src/protocol/unimplemented-handler.js";
import { tinySpec } from "./tiny.js";

const spec = tinySpec();

function lines(text: string): string[] {
  return text.split("\n").map((line) => line.trim());
}

for (const [file, text, expected] of [
  [
    "operations.ts",
    emitOperations(spec),
    [
      "GetItem: { request: ItemRequest; response: Item; received: Received<Item>; streaming: false };",
      "DropItem: { request: ItemRequest; response: null; received: null; streaming: false };",
      'export type StreamingOperationName = "WatchItem";',
      'http: [{ verb: "GET", path: "/items/{id}" }, { verb: "GET", path: "/{tenant}/items/{id}" }],',
      'export const commonErrors: readonly ErrorCode[] = ["UNSUPPORTED_OPERATION"];',
      'export const protocolVersion = "7.1";',
    ],
  ],
  [
    "guards.ts",
    emitGuards(spec),
    ["GetItem: isItemRequest,", "GetItem: isItem,", "DropItem: isItemRequest,", "DropItem: null,"],
  ],
  [
    "handler.ts",
    emitHandler(spec),
    [
      "getItem(request: ItemRequest, call: Call): Promise<Received<Item>>;",
      "watchItem(request: ItemRequest, call: Call): AsyncIterable<Received<Item>>;",
      "dropItem(request: ItemRequest, call: Call): Promise<null>;",
    ],
  ],
  [
    "client.ts",
    emitClient(spec),
    [
      "getItem(request: ItemRequest, options?: Options): Promise<Received<Item>> {",
      'return this.callUnary("GetItem", request, options);',
      "watchItem(request: ItemRequest, options?: Options): AsyncIterable<Received<Item>> {",
      'return this.callStream("WatchItem", request, options);',
    ],
  ],
] as const) {
  for (const line of expected) {
    test(`${file} has ${line}`, () => assert.ok(lines(text).includes(line), text));
  }
}

test("a contract without streams has no stream left in its handler", () => {
  const text = emitHandler(tinySpec(({ operations: document }) => document.operations.splice(3, 1)));
  assert.doesNotMatch(text, /AsyncIterable/);
});

test("the base handler refuses every operation of 1.0 with UNSUPPORTED_OPERATION", async () => {
  const handler = new UnimplementedHandler();
  for (const { name, streaming } of operations) {
    const method = Reflect.get(handler, name.charAt(0).toLowerCase() + name.slice(1));
    const answer = method.call(handler, {}, undefined);
    const refused = streaming ? answer[Symbol.asyncIterator]().next() : answer;
    await assert.rejects(refused, { name: "UnsupportedOperationError", code: "UNSUPPORTED_OPERATION" }, name);
  }
});
