import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { type Field, fieldsOf } from "../../../../src/protocol/operations.js";
import { readQuery } from "../../../../src/server/bindings/http-json/query.js";
import { codec } from "../../../../src/versions/v1.0/codec.js";

const listTasks = (query: string) => readQuery(new URLSearchParams(query), fieldsOf("ListTasksRequest"));

const table: [ids: string, query: string, expected: object][] = [
  ["RESTQ-02", "contextId=c&pageToken=p", { contextId: "c", pageToken: "p" }],
  ["RESTQ-03, JSON-02", "context_id=c&page_size=5", { contextId: "c", pageSize: 5 }],
  ["RESTQ-03", "context_id=snake&contextId=camel", { contextId: "camel" }],
  ["RESTQ-03, RESTQ-08", "context_id=snake&contextId=", { contextId: "snake" }],
  [
    "RESTQ-04",
    "includeArtifacts=true&pageSize=10&status=TASK_STATE_WORKING",
    { includeArtifacts: true, pageSize: 10, status: "TASK_STATE_WORKING" },
  ],
  ["RESTQ-05", "includeArtifacts=FALSE&status=2", { includeArtifacts: false, status: 2 }],
  [
    "RESTQ-11",
    "includeArtifacts=1&pageSize=ten&historyLength=1.5",
    { includeArtifacts: "1", pageSize: "ten", historyLength: "1.5" },
  ],
  ["HIST-07, JSON-09", "historyLength=0", { historyLength: 0 }],
  ["PAGE-04", "pageSize=-5", { pageSize: -5 }],
  [
    "RESTQ-07",
    "pageToken=%2B%26%23%25%3A%2F%3D&contextId=a%20b+c",
    { pageToken: "+&#%:/=", contextId: "a b c" },
  ],
  ["RESTQ-08", "status=&pageSize=&contextId=", {}],
  ["RESTQ-09", "pageSize=1&pageSize=2&pageSize=3", { pageSize: 3 }],
  ["RESTQ-09, RESTQ-08", "pageSize=1&pageSize=", { pageSize: 1 }],
  ["RESTQ-10, OP-LIST-14", "utm=x&lastUpdatedAfter=y&utm=z", { utm: "z", lastUpdatedAfter: "y" }],
  ["RESTQ-01", "", {}],
];

for (const [ids, query, expected] of table) {
  test(`${ids}: the query "${query}" reads as ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(listTasks(query), expected);
  });
}

test("JSONV-18: parameters with names of prototypes are plain members", () => {
  const value = listTasks("__proto__=x&constructor=y");
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
});

test("RESTQ-06: repeated members come by repeated names or with commas", () => {
  const fields: Field[] = [
    { name: "extensions", kind: "string", repeated: true },
    { name: "sizes", kind: "int32", repeated: true },
  ];
  const query = new URLSearchParams("extensions=a,b&sizes=1&extensions=c&sizes=2,,x");
  assert.deepEqual(readQuery(query, fields), { extensions: ["a", "b", "c"], sizes: [1, 2, "x"] });
});

test("RESTQ-01, RESTQ-04, RESTQ-07: any request of ListTasks survives its query", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 });
  const request = fc.record(
    {
      contextId: text,
      pageToken: text,
      tenant: text,
      pageSize: fc.integer({ min: 1, max: 100 }),
      historyLength: fc.nat(2_147_483_647),
      includeArtifacts: fc.boolean(),
      status: fc.constantFrom("TASK_STATE_WORKING", "TASK_STATE_UNSPECIFIED", "TASK_STATE_AUTH_REQUIRED"),
      statusTimestampAfter: fc
        .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
        .map((date) => date.toISOString()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(request, fc.boolean(), (given, noise) => {
      const query = new URLSearchParams(
        Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]),
      );
      if (noise) query.append("A2A-Version", "1.0");
      const read = codec.decodeRequest("ListTasks", listTasks(query.toString()));
      assert.deepEqual(read, JSON.parse(JSON.stringify(given)));
    }),
  );
});
