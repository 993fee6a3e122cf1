import type { LoadedVersion } from "../../codegen/load.js";
import { normalize } from "../../codegen/normalize.js";
import { SchemaError } from "../../codegen/problems.js";
import type { Spec } from "../../codegen/spec-model.js";

/** JSON that a test may change before it is given to codegen: it reaches anywhere in to break it. */
export type Json = any;

/** The two documents of a version that a test may change. */
export interface Documents {
  readonly schema: Json;
  readonly operations: Json;
}

const text = { description: "A text.", type: "string" };

/** A small contract with every shape of member, every kind of operation and every verb that 1.0 uses. */
export function tinyDocuments(): Documents {
  return { schema: tinySchema(), operations: tinyOperations() };
}

function tinySchema(): Json {
  return structuredClone({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Tiny 7.1",
    description: "A small protocol.",
    "x-protocol-version": "7.1",
    $defs: {
      Item: {
        type: "object",
        description: "A thing.",
        properties: {
          id: { description: "Its name.", "x-number": 1, type: "string", minLength: 1 },
          color: { description: "Its color.", "x-number": 2, $ref: "#/$defs/Color" },
          size: {
            description: "Its size.",
            "x-number": 3,
            type: "integer",
            format: "int32",
            minimum: 1,
            maximum: 9,
          },
          image: { description: "Its picture.", "x-number": 4, type: "string", format: "byte" },
          made: { description: "When it was made.", "x-number": 5, type: "string", format: "date-time" },
          sold: {
            description: "Whether it is gone.",
            "x-number": 6,
            type: "boolean",
            "x-presence": "explicit",
          },
          extra: { description: "Anything.", "x-number": 7, type: "object" },
          choices: {
            description: "Options.",
            "x-number": 8,
            type: "array",
            items: { $ref: "#/$defs/Choice" },
            minItems: 1,
          },
          labels: {
            description: "Labels.",
            "x-number": 9,
            type: "object",
            additionalProperties: { type: "string" },
          },
          parts: {
            description: "Things inside.",
            "x-number": 10,
            type: "object",
            additionalProperties: { $ref: "#/$defs/Item" },
          },
          old: { ...text, "x-number": 11, deprecated: true },
        },
        required: ["id", "choices"],
      },
      Choice: {
        type: "object",
        description: "One of two.",
        properties: {
          word: { ...text, "x-number": 1 },
          value: { description: "Any JSON.", "x-number": 2, "x-type": "any" },
          note: { ...text, "x-number": 3 },
        },
        "x-oneof": "content",
        oneOf: [{ required: ["word"] }, { required: ["value"] }],
      },
      ItemRequest: {
        type: "object",
        description: "Names an item.",
        properties: {
          tenant: { ...text, "x-number": 1 },
          id: { ...text, "x-number": 2 },
          limit: { description: "How many.", "x-number": 3, type: "integer", format: "int32" },
          colors: {
            description: "Which colors.",
            "x-number": 4,
            type: "array",
            items: { $ref: "#/$defs/Color" },
          },
        },
        required: ["id"],
      },
      Color: {
        type: "string",
        description: "A color.",
        enum: ["COLOR_UNSPECIFIED", "RED", "BLUE"],
        "x-enum-numbers": [0, 1, 2],
        "x-enum-descriptions": { COLOR_UNSPECIFIED: "None.", RED: "Like fire.", BLUE: "Like water." },
      },
    },
  });
}

function tinyOperations(): Json {
  const row = { request: "ItemRequest", response: "Item", streaming: false, capability: null, errors: [] };
  return structuredClone({
    protocolVersion: "7.1",
    operations: [
      {
        ...row,
        name: "GetItem",
        description: "Reads an item.",
        method: "items/get",
        http: [
          { verb: "GET", path: "/items/{id}" },
          { verb: "GET", path: "/{tenant}/items/{id}" },
        ],
        errors: ["NO_ITEM"],
      },
      {
        ...row,
        name: "PutItem",
        description: "Stores an item.",
        method: "items/put",
        http: [{ verb: "POST", path: "/items" }],
        request: "Item",
      },
      {
        ...row,
        name: "PaintItem",
        description: "Paints an item.",
        method: "items/paint",
        http: [{ verb: "POST", path: "/items/{id}:paint" }],
      },
      {
        ...row,
        name: "WatchItem",
        description: "Follows an item.",
        method: "items/watch",
        http: [
          { verb: "POST", path: "/items/{id}:watch" },
          { verb: "GET", path: "/items/{id}:watch" },
        ],
        streaming: true,
      },
      {
        ...row,
        name: "DropItem",
        description: "Removes an item.",
        method: "items/drop",
        http: [{ verb: "DELETE", path: "/items/{id}" }],
        response: null,
      },
    ],
    commonErrors: ["UNSUPPORTED_OPERATION"],
    errors: [
      errorRow("UNSUPPORTED_OPERATION", { name: "UnsupportedOperationError", jsonRpcCode: -32004 }),
      errorRow("NO_ITEM", { name: "NoItemError", jsonRpcCode: -32001, httpStatus: 404, status: "NOT_FOUND" }),
    ],
  });
}

/** A row of the error table. */
export function errorRow(code: string, members: Json): Json {
  return {
    code,
    httpStatus: 400,
    status: "FAILED_PRECONDITION",
    message: `${code} happened`,
    description: `About ${code}.`,
    kind: "protocol",
    ...members,
  };
}

/** Documents as the load phase gives them. */
export function loaded({ schema, operations }: Documents): LoadedVersion {
  return {
    folder: "v7.1",
    schema: { file: "schema.json", content: schema },
    operations: { file: "operations.json", content: operations },
  };
}

/** The spec model of the tiny contract, after `change` has had its way. */
export function tinySpec(change: (documents: Documents) => void = () => undefined): Spec {
  const documents = tinyDocuments();
  change(documents);
  const [spec] = normalize([loaded(documents)]);
  if (spec === undefined) throw new Error("no spec");
  return spec;
}

/** The problems, one per line as `file#pointer: reason`, for which the changed contract is refused. */
export function refusals(change: (documents: Documents) => void): string[] {
  try {
    tinySpec(change);
  } catch (error) {
    if (error instanceof SchemaError) return error.message.split("\n");
    throw error;
  }
  return [];
}
