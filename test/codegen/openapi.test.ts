import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { emitOpenapi } from "../../codegen/emit/openapi.js";
import { emitRest } from "../../codegen/emit/rest.js";
import { reservedNames } from "../../codegen/reserved-names.js";
import { type Json, tinySpec } from "./tiny.js";

const spec = tinySpec();
const document: Json = JSON.parse(emitOpenapi(spec));

function operation(verb: string, path: string): Json {
  return document.paths[path]?.[verb];
}

test("every route of every operation is a path of its own, with and without tenant", () => {
  const routes = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((verb) => `${verb} ${path}`),
  );
  assert.deepEqual(routes.sort(), [
    "delete /items/{id}",
    "get /items/{id}",
    "get /items/{id}:watch",
    "get /{tenant}/items/{id}",
    "post /items",
    "post /items/{id}:paint",
    "post /items/{id}:watch",
  ]);
  assert.equal(document.openapi, "3.1.0");
  assert.equal(document.info.version, "7.1");
});

test("operation identifiers are distinct and start with the name of the operation", () => {
  const ids = Object.values<Json>(document.paths).flatMap((item) =>
    Object.values<Json>(item).map(({ operationId }) => operationId),
  );
  assert.deepEqual(ids.sort(), [
    "DropItem",
    "GetItem",
    "GetItemForTenant",
    "PaintItem",
    "PutItem",
    "WatchItem",
    "WatchItemByGet",
  ]);
});

test("RESTQ-01: without a body the members are path and query parameters, by their own names", () => {
  const parameters = operation("get", "/items/{id}").parameters.map((one: Json) =>
    one.$ref ? one.$ref.split("/").at(-1) : `${one.in} ${one.name}`,
  );
  assert.deepEqual(parameters, [
    "query tenant",
    "path id",
    "query limit",
    "query colors",
    "A2A-Version",
    "A2A-Extensions",
  ]);
  const tenant = operation("get", "/{tenant}/items/{id}").parameters[0];
  assert.deepEqual([tenant.in, tenant.required], ["path", true]);
  assert.equal(operation("get", "/items/{id}").requestBody, undefined);
  assert.equal(operation("delete", "/items/{id}").requestBody, undefined);
});

test("RESTB-01: bodies and answers are offered in both media types", () => {
  const { requestBody, responses } = operation("post", "/items");
  const item = { schema: { $ref: "#/components/schemas/Item" } };
  const both = { "application/a2a+json": item, "application/json": item };
  assert.deepEqual(requestBody, { required: true, content: both });
  assert.deepEqual(responses[200].content, both);
});

test("REST-05: a body holds what the path leaves of the request, and may be left out when nothing of it is required", () => {
  const { requestBody } = operation("post", "/items/{id}:paint");
  assert.equal(requestBody.required, false);
  assert.deepEqual(requestBody.content["application/json"].schema, {
    $ref: "#/components/schemas/PaintItemBody",
  });
  const body = document.components.schemas.PaintItemBody;
  assert.deepEqual(Object.keys(body.properties), ["tenant", "limit", "colors"]);
  assert.equal(body.required, undefined);
});

test("a stream answers with server-sent events of its response type, an empty response with an empty object", () => {
  assert.deepEqual(operation("post", "/items/{id}:watch").responses[200].content, {
    "text/event-stream": { schema: { $ref: "#/components/schemas/Item" } },
  });
  assert.deepEqual(operation("delete", "/items/{id}").responses[200].content["application/json"], {
    schema: { type: "object" },
  });
});

test("ERR-06: errors have the error body, by status for the own errors and by default for all others", () => {
  const { responses } = operation("get", "/items/{id}");
  assert.deepEqual(Object.keys(responses), ["200", "404", "default"]);
  assert.match(responses[404].description, /`NO_ITEM`: About NO_ITEM\./);
  const schema = { $ref: "#/components/schemas/ErrorResponse" };
  assert.deepEqual(responses[404].content["application/a2a+json"], { schema });
  assert.deepEqual(document.components.responses.Error.content["application/json"], { schema });
  const { ErrorStatus, ErrorInfo, BadRequest } = document.components.schemas;
  assert.deepEqual(ErrorStatus.required, ["code", "status", "message"]);
  assert.equal(ErrorInfo.properties["@type"].const, "type.googleapis.com/google.rpc.ErrorInfo");
  assert.equal(BadRequest.properties["@type"].const, "type.googleapis.com/google.rpc.BadRequest");
});

test("a group of which one member is present is one schema per member; objects stay open", () => {
  const { Choice } = document.components.schemas;
  assert.deepEqual(
    Choice.oneOf.map(({ required }: Json) => required),
    [["word"], ["value"]],
  );
  assert.equal(JSON.stringify(document).includes('"additionalProperties":false'), false);
});

test("every reference points at a component", () => {
  for (const [, section, name] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    assert.ok(document.components[section ?? ""][name ?? ""], `${section}/${name}`);
  }
});

test("every variable of a path is a required parameter, and no other parameter is in the path", () => {
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    for (const { parameters } of Object.values<Json>(item)) {
      const bound = parameters
        .filter((one: Json) => one.in === "path" && one.required)
        .map((one: Json) => one.name);
      assert.deepEqual(bound.sort(), variables);
    }
  }
});

test("components that are not of the schema are the reserved names and the bodies", () => {
  const own = [...spec.messages, ...spec.enums].map(({ name }) => name);
  const added = Object.keys(document.components.schemas).filter((name) => !own.includes(name));
  assert.deepEqual(
    added.filter((name) => !reservedNames.includes(name)),
    ["PaintItemBody", "WatchItemBody"],
  );
});

test("the REST types are made of the document: paths, operations and schemas", async () => {
  const text = await emitRest(spec);
  assert.match(text, /^\/\/ Generated by npm run codegen from schema\/v7\.1; do not edit\.\n/);
  assert.match(text, /"\/\{tenant\}\/items\/\{id\}": \{/);
  assert.match(text, /get: operations\["GetItemForTenant"\];/);
  assert.match(text, /parts\?: \{\s+\[key: string\]: components\["schemas"\]\["Item"\];/);
});

test("the document of 0.3 names the extensions header of that version, and no tenants", () => {
  const file = readFileSync(new URL("../../generated/v0.3/openapi.json", import.meta.url), "utf8");
  const { info, components }: Json = JSON.parse(file);
  assert.deepEqual(Object.keys(components.parameters), ["A2A-Version", "X-A2A-Extensions"]);
  assert.doesNotMatch(info.description, /tenant/);
  assert.match(document.info.description, /Each path also exists below a tenant/);
});
