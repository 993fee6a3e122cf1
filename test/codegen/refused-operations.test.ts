import assert from "node:assert/strict";
import { test } from "vitest";
import { errorRow, type Json, refusals } from "./tiny.js";

/** A change to the operations document, and a line with which it is refused. */
type Refusal = readonly [what: string, change: (operations: Json, schema: Json) => void, line: string];

const first = "/operations/0";

/** Sets members of the first operation. */
function set(members: Json): (operations: Json) => void {
  return (document) => Object.assign(document.operations[0], members);
}

/** Gives the first operation one route. */
function route(verb: string, path: string): (operations: Json) => void {
  return set({ http: [{ verb, path }] });
}

const operationRefusals: readonly Refusal[] = [
  [
    "an unknown member of the document",
    (o) => {
      o.servers = [];
    },
    '/servers: unknown keyword "servers"',
  ],
  ["an unknown member of an operation", set({ summary: "X" }), `${first}/summary: unknown keyword "summary"`],
  [
    "no operations",
    (o) => {
      o.operations = [];
    },
    "/operations: must list at least one operation",
  ],
  [
    "an unknown request",
    set({ request: "Nothing" }),
    `${first}/request: "Nothing" is not a message of the schema`,
  ],
  [
    "an enum as request",
    set({ request: "Color" }),
    `${first}/request: "Color" is not a message of the schema`,
  ],
  [
    "an unknown response",
    set({ response: "Nothing" }),
    `${first}/response: "Nothing" is not a message of the schema`,
  ],
  ["a missing response", set({ response: undefined }), `${first}/response: "response" is missing`],
  [
    "a stream of nothing",
    set({ response: null, streaming: true }),
    `${first}/response: a stream needs a response type`,
  ],
  [
    "a name in another case",
    set({ name: "getItem" }),
    `${first}/name: "getItem" does not match ^[A-Z][A-Za-z0-9]*$`,
  ],
  [
    "an operation name used twice",
    set({ name: "PutItem" }),
    '/operations/1/name: name "putitem" is used twice',
  ],
  [
    "a method used twice",
    set({ method: "items/put" }),
    '/operations/1/method: method "items/put" is used twice',
  ],
  [
    "a name whose body component is taken",
    (_, s) => {
      s.$defs.GetItemBody = { type: "object", description: "X.", properties: {} };
    },
    `${first}/name: needs the name GetItemBody, which the schema defines`,
  ],
  [
    "a capability of a schema that has none",
    set({ capability: "streaming" }),
    `${first}/capability: "streaming" is not a boolean member of AgentCapabilities`,
  ],
  [
    "an unknown error",
    set({ errors: ["NO_ITEM", "NOTHING"] }),
    `${first}/errors/1: "NOTHING" is not a code of the error table`,
  ],
  [
    "an unknown common error",
    (o) => {
      o.commonErrors.push("NOTHING");
    },
    '/commonErrors/1: "NOTHING" is not a code of the error table',
  ],
  ["routes that are no list", set({ http: "/items" }), `${first}/http: must be a list of routes`],
];

const routeRefusals: readonly Refusal[] = [
  [
    "an unknown verb",
    route("FETCH", "/items/{id}"),
    `${first}/http/0/verb: must be one of GET, POST, PUT, PATCH, DELETE`,
  ],
  [
    "a path without a slash",
    route("GET", "items/{id}"),
    `${first}/http/0/path: "items/{id}" is not a path template such as /tasks/{id}:cancel`,
  ],
  [
    "a path with a wildcard",
    route("GET", "/items/{id=*}"),
    `${first}/http/0/path: "/items/{id=*}" is not a path template such as /tasks/{id}:cancel`,
  ],
  [
    "a variable that is no member",
    route("GET", "/items/{key}"),
    `${first}/http/0/path: path variable "key" is not a member of ItemRequest`,
  ],
  [
    "a variable that is no string",
    route("POST", "/items/{limit}"),
    `${first}/http/0/path: path variable "limit" is not a single string in ItemRequest`,
  ],
  [
    "a variable used twice",
    route("GET", "/items/{id}/{id}"),
    `${first}/http/0/path: path variable "id" is used twice`,
  ],
  ["a route used twice", route("POST", "/items"), '/operations/1/http/0: route "POST /items" is used twice'],
  [
    "a route that differs in names only",
    route("POST", "/items/{tenant}:watch"),
    '/operations/3/http/0: route "POST /items/{}:watch" is used twice',
  ],
  [
    "an object in the query",
    (o) => {
      Object.assign(o.operations[0], { request: "Item", http: [{ verb: "GET", path: "/things/{id}" }] });
    },
    `${first}/http/0/verb: member "choices" of Item cannot be a query parameter of GET`,
  ],
  [
    "an unknown member",
    set({ http: [{ verb: "GET", path: "/items/{id}", summary: "*" }] }),
    `${first}/http/0/summary: unknown keyword "summary"`,
  ],
  [
    "a body that is no message of the request",
    set({ http: [{ verb: "POST", path: "/items/{id}", body: "id" }] }),
    `${first}/http/0/body: must be "*", "" or a single message of ItemRequest`,
  ],
];

const errorRefusals: readonly Refusal[] = [
  [
    "no errors",
    (o) => {
      o.errors = [];
    },
    "/errors: must list at least one error",
  ],
  [
    "a table without the refusal",
    (o) => {
      o.errors.shift();
    },
    "/errors: lacks UNSUPPORTED_OPERATION, the error for operations that are not implemented",
  ],
  [
    "a code used twice",
    (o) => {
      o.errors.push(errorRow("NO_ITEM", { name: "OtherError", jsonRpcCode: -32050 }));
    },
    '/errors/2/code: code "NO_ITEM" is used twice',
  ],
  [
    "an error name used twice",
    (o) => {
      o.errors.push(errorRow("OTHER", { name: "NoItemError", jsonRpcCode: -32050 }));
    },
    '/errors/2/name: name "NoItemError" is used twice',
  ],
  [
    "a JSON-RPC code used twice",
    (o) => {
      o.errors.push(errorRow("OTHER", { name: "OtherError", jsonRpcCode: -32001 }));
    },
    '/errors/2/jsonRpcCode: JSON-RPC code "-32001" is used twice',
  ],
  [
    "no JSON-RPC code",
    (o) => {
      o.errors[1].jsonRpcCode = undefined;
    },
    '/errors/1/jsonRpcCode: "jsonRpcCode" is missing',
  ],
  [
    "a JSON-RPC code outside the reserved range",
    (o) => {
      o.errors[1].jsonRpcCode = -1;
    },
    "/errors/1/jsonRpcCode: must be an integer from -32768 to -32000",
  ],
  [
    "a status of success",
    (o) => {
      o.errors[1].httpStatus = 200;
    },
    "/errors/1/httpStatus: must be an integer from 400 to 599",
  ],
  [
    "an error whose fallback is not there",
    (o) => {
      o.errors[1].fallback = "NO_BOX";
    },
    '/errors/1/fallback: there is no error "NO_BOX"',
  ],
  [
    "an error whose fallback needs one",
    (o) => {
      o.errors[1].fallback = "NO_ITEM";
    },
    '/errors/1/fallback: "NO_ITEM" needs a fallback itself',
  ],
  [
    "an unknown kind",
    (o) => {
      o.errors[1].kind = "other";
    },
    "/errors/1/kind: must be one of protocol, standard, transport",
  ],
  [
    "a code in another case",
    (o) => {
      o.errors[1].code = "noItem";
      o.operations[0].errors = [];
    },
    '/errors/1/code: "noItem" does not match ^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
  ],
];

for (const [what, change, line] of [operationRefusals, routeRefusals, errorRefusals].flat()) {
  test(`codegen refuses ${what}`, () => {
    const lines = refusals(({ operations, schema }) => change(operations, schema));
    assert.ok(
      lines.includes(`operations.json#${line}`),
      `expected\n  operations.json#${line}\ngot\n  ${lines.join("\n  ")}`,
    );
  });
}

test("several transport errors may share a JSON-RPC code", () => {
  const lines = refusals(({ operations }) => {
    for (const code of ["BUSY", "CLOSED"]) {
      const name = code === "BUSY" ? "BusyError" : "ClosedError";
      operations.errors.push(
        errorRow(code, { name, jsonRpcCode: -32000, kind: "transport", jsonRpcHttpStatus: 503 }),
      );
    }
  });
  assert.deepEqual(lines, []);
});

test("a capability must be a boolean member of AgentCapabilities", () => {
  const capabilities = (keywords: Json) => ({
    type: "object",
    description: "X.",
    properties: { watching: { description: "X.", "x-number": 1, ...keywords } },
  });
  const withCapability = (keywords: Json) =>
    refusals(({ schema, operations }) => {
      schema.$defs.AgentCapabilities = capabilities(keywords);
      operations.operations[3].capability = "watching";
    });
  assert.deepEqual(withCapability({ type: "boolean" }), []);
  assert.deepEqual(withCapability({ type: "string" }), [
    'operations.json#/operations/3/capability: "watching" is not a boolean member of AgentCapabilities',
  ]);
});
