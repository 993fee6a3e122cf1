import assert from "node:assert/strict";
import { test } from "vitest";
import { type BindingName, connect, foldTask, type RemoteError } from "../../src/client/index.js";
import {
  cardOf,
  clientOf,
  completed,
  eventStream,
  frames,
  json,
  origin,
  result,
  scripted,
  task,
} from "./scripted.js";
import { methodsOf } from "./stream/read-stream.js";

/** Names that every object has without having a member of that name. */
const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"] as const;

/** An object with these own members, as JSON makes it. */
const holding = (value: unknown): object =>
  JSON.parse(`{${names.map((name) => `"${name}":${JSON.stringify(value)}`).join()}}`);

const assertClean = (): void => {
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
};

for (const binding of ["JSONRPC", "HTTP+JSON"] satisfies BindingName[]) {
  test(`JSONV-18: members with names of a prototype are data like any other [${binding}]`, async () => {
    const metadata = holding({ polluted: true });
    const parts = [{ data: metadata, metadata }];
    const whole = { ...task, metadata, artifacts: [{ artifactId: "__proto__", parts }] };
    for (const odd of [whole, { ...whole, status: { ...task.status, state: "1" }, ...metadata }]) {
      const { client } = await clientOf(
        (request) => (binding === "JSONRPC" ? result(request, odd) : json(odd)),
        { bindings: [binding] },
      );
      const read = await client.getTask({ id: "t" });
      assert.deepEqual(JSON.stringify(read.metadata), JSON.stringify(metadata));
      assert.deepEqual(Object.getPrototypeOf(read), Object.prototype);
      assertClean();
    }
  });
}

test("JSONV-18: ids with names of a prototype are ids like any other", async () => {
  for (const name of names) {
    const ids = { taskId: name, contextId: name };
    const chunk = (append: boolean) => ({
      artifactUpdate: { ...ids, artifact: { artifactId: name, parts: [{ text: "x" }] }, append },
    });
    const begun = { ...task, id: name, contextId: name };
    const updates = [chunk(false), chunk(true), { statusUpdate: { ...ids, status: completed } }];
    const { client } = await methodsOf({
      SendStreamingMessage: (request) => eventStream(frames(request, [{ task: begun }, ...updates])),
    });
    const { task: ended } = await client.stream("x").result();
    assert.deepEqual(
      ended?.artifacts?.map(({ artifactId, parts }) => [artifactId, parts.length]),
      [[name, 2]],
    );
    assert.deepEqual(foldTask(begun, updates), ended);
    assertClean();
  }
});

test("JSONV-18: a card with names of a prototype offers nothing that it does not say", async () => {
  const securitySchemes = holding({ httpAuthSecurityScheme: { scheme: "bearer" } });
  const needs = names.map((name) => ({ schemes: JSON.parse(`{"${name}":{"list":[]}}`) }));
  const card = JSON.stringify({ ...cardOf(), ...holding("x"), securitySchemes, securityRequirements: needs });
  const { fetch } = scripted(() => new Response(card));
  const client = await connect(origin, { fetch, credentials: { other: "t" } });
  await assert.rejects(client.getTask({ id: "t" }), { code: "CREDENTIALS_MISSING" });
  assert.equal(client.skill("constructor").schemas, undefined);
  assertClean();
});

test("JSONV-18: an error with names of a prototype is an error like any other", async () => {
  for (const reason of names) {
    const details = [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason,
        domain: "a2a-protocol.org",
        metadata: holding("x"),
      },
    ];
    const { client } = await clientOf((request) =>
      json({ jsonrpc: "2.0", id: request.json.id, error: { code: -32000, message: "No", data: details } }),
    );
    await assert.rejects(client.getTask({ id: "t" }), (error: RemoteError) => {
      assert.equal(error.code, "UNKNOWN");
      assert.equal(error.reason, reason);
      assert.deepEqual(Object.keys(error.metadata), Object.keys(holding("x")));
      return true;
    });
    assertClean();
  }
});
