import assert from "node:assert/strict";
import { test } from "vitest";
import { apiKeys, basicUsers, bearerTokens } from "../../src/server/index.js";
import { cardOf, schemes } from "./card.js";
import { basic, bearer, serveGuarded, whoAmI } from "./guarded.js";

const { bearer: bearerScheme, key: keyScheme, basic: basicScheme } = schemes;
const both = { bearer: bearerScheme, key: keyScheme };
const verifiers = {
  bearer: bearerTokens({
    "alice-token": { id: "alice", scopes: ["read"] },
    "bob-token": { id: "bob", scopes: ["read", "write"] },
  }),
  key: apiKeys({ "app-key": "app" }),
};
const key = { "X-API-Key": "app-key" };

test("AUTHN-01, AUTHN-03, AUTHN-04, AUTHN-05, ERR-17, ERR-18: missing and wrong credentials are refused alike on both bindings, with the accepted schemes", async (t) => {
  const { peers } = await serveGuarded(t, cardOf(both, ["bearer"], ["key"]), { verifiers });
  for (const peer of peers) {
    for (const [headers, challenge] of [
      [{}, 'Bearer realm="Guarded agent", ApiKey realm="Guarded agent", location="header", name="X-API-Key"'],
      [
        bearer("wrong"),
        'Bearer realm="Guarded agent", error="invalid_token", ApiKey realm="Guarded agent", location="header", name="X-API-Key"',
      ],
      [
        { "X-API-Key": "wrong" },
        'Bearer realm="Guarded agent", ApiKey realm="Guarded agent", location="header", name="X-API-Key"',
      ],
    ] as const) {
      const { error, response } = await whoAmI(peer, headers);
      assert.equal(error, "UNAUTHENTICATED");
      assert.equal(response.status, 401);
      assert.equal(response.headers.get("www-authenticate"), challenge);
    }
  }
});

test("ERR-18: a refusal is a JSON-RPC error with code -32000 and the id of the request", async (t) => {
  const { url } = await serveGuarded(t, cardOf(both, ["bearer"], ["key"]), { verifiers });
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: "seven", method: "ListTasks" }),
  });
  const { id, error } = (await response.json()) as { id: unknown; error: { code: number; message: string } };
  assert.deepEqual([response.status, id, error.code], [401, "seven", -32000]);
  assert.equal(error.message, "Authentication required");
});

test("CARD-16: one satisfied entry is enough, whatever was shown for the others", async (t) => {
  const { peers } = await serveGuarded(t, cardOf(both, ["bearer"], ["key"]), { verifiers });
  for (const peer of peers) {
    assert.deepEqual((await whoAmI(peer, bearer("alice-token"))).principal, {
      id: "alice",
      scheme: "bearer",
      scopes: ["read"],
    });
    assert.deepEqual((await whoAmI(peer, key)).principal, { id: "app", scheme: "key" });
    assert.equal((await whoAmI(peer, { ...key, ...bearer("wrong") })).principal.id, "app");
  }
});

test("CARD-16: all schemes inside an entry are needed, and the principal is all of them together", async (t) => {
  const { peers } = await serveGuarded(t, cardOf(both, ["key", "bearer"]), { verifiers });
  for (const peer of peers) {
    for (const headers of [key, bearer("alice-token"), { ...key, ...bearer("wrong") }, {}]) {
      assert.equal((await whoAmI(peer, headers)).error, "UNAUTHENTICATED");
    }
    assert.deepEqual((await whoAmI(peer, { ...key, ...bearer("alice-token") })).principal, {
      id: "app&alice",
      scheme: "key&bearer",
      scopes: ["read"],
      identities: [
        { id: "app", scheme: "key" },
        { id: "alice", scheme: "bearer", scopes: ["read"] },
      ],
    });
  }
});

test("CARD-16, ERR-17: scopes of a requirement are demanded, and a missing one is 403 with what is missing", async (t) => {
  const { peers, denials } = await serveGuarded(t, cardOf(both, { bearer: ["read", "write"] }), {
    verifiers,
  });
  for (const peer of peers) {
    const { error, message, response } = await whoAmI(peer, bearer("alice-token"));
    assert.equal(error, "PERMISSION_DENIED");
    assert.equal(response.status, 403);
    assert.equal(message, "The credentials lack the scope write");
    assert.equal(
      response.headers.get("www-authenticate"),
      'Bearer realm="Guarded agent", error="insufficient_scope", scope="write"',
    );
    assert.equal((await whoAmI(peer, bearer("bob-token"))).principal.id, "bob");
    assert.equal((await whoAmI(peer, bearer("nobody"))).error, "UNAUTHENTICATED");
  }
  assert.deepEqual(denials[0]?.reasons, { bearer: "scope" });
});

test("CARD-16: an entry whose scopes are missing does not shut out another one that is satisfied", async (t) => {
  const { peers } = await serveGuarded(t, cardOf(both, { bearer: ["write"] }, ["key"]), { verifiers });
  for (const peer of peers) {
    assert.equal((await whoAmI(peer, { ...key, ...bearer("alice-token") })).principal.id, "app");
    assert.equal((await whoAmI(peer, bearer("alice-token"))).error, "PERMISSION_DENIED");
  }
});

for (const [name, entries] of [
  ["an empty entry behind others", [["bearer"], []]],
  ["an empty entry before others", [[], ["bearer"]]],
  ["an empty entry alone", [[]]],
  ["no entry", []],
] as const) {
  test(`CARD-17, AUTHZ-06, AUTHN-04: ${name} lets everybody in, knows who says so, and refuses what is wrong`, async (t) => {
    const { peers } = await serveGuarded(t, cardOf(both, ...entries), { verifiers });
    for (const peer of peers) {
      assert.deepEqual((await whoAmI(peer)).principal, { id: "" });
      assert.equal((await whoAmI(peer, bearer("alice-token"))).principal.id, "alice");
      assert.equal((await whoAmI(peer, key)).principal.id, "app");
      assert.equal((await whoAmI(peer, bearer("wrong"))).error, "UNAUTHENTICATED");
      assert.deepEqual((await whoAmI(peer, basic("no", "matter"))).principal, { id: "" });
    }
  });
}

test("CARD-17: a caller whose scopes do not do for one entry is known by the empty one", async (t) => {
  const { peers } = await serveGuarded(t, cardOf(both, { bearer: ["write"] }, []), { verifiers });
  for (const peer of peers) assert.equal((await whoAmI(peer, bearer("alice-token"))).principal.id, "alice");
});

test("AUTHN-01: a card without schemes asks nobody, and headers mean nothing", async (t) => {
  const { peers } = await serveGuarded(t, cardOf({}), {});
  for (const peer of peers) assert.deepEqual((await whoAmI(peer, bearer("anything"))).principal, { id: "" });
});

test("AUTHN-01: card and preflight need no credentials", async (t) => {
  const { url } = await serveGuarded(t, cardOf(both, ["bearer"]), { verifiers }, { options: { cors: true } });
  assert.equal((await fetch(`${url}/.well-known/agent-card.json`)).status, 200);
  const preflight = await fetch(url, {
    method: "OPTIONS",
    headers: { Origin: "https://page.example", "Access-Control-Request-Method": "POST" },
  });
  assert.equal(preflight.status, 204);
});

test("AUTHN-01: version and method are judged before the caller, extensions, capability and parameters after it", async (t) => {
  const card = {
    ...cardOf(both, ["bearer"]),
    capabilities: { extensions: [{ uri: "https://x.example/a", required: true }] },
  };
  const { peers } = await serveGuarded(t, card, { verifiers });
  for (const peer of peers) {
    const error = async (operation: string, params: object, headers: Record<string, string>) =>
      (await peer.call(operation, params, headers)).error;
    assert.equal(await error("SendMessage", {}, { "A2A-Version": "9.9" }), "VERSION_NOT_SUPPORTED");
    assert.equal(await error("SendMessage", {}, {}), "UNAUTHENTICATED");
    assert.equal(await error("GetExtendedAgentCard", {}, {}), "UNAUTHENTICATED");
    const known = bearer("alice-token");
    assert.equal(await error("SendMessage", {}, known), "EXTENSION_SUPPORT_REQUIRED");
    assert.equal(await error("GetExtendedAgentCard", {}, known), "UNSUPPORTED_OPERATION");
  }
});

test("AUTHN-01: every operation is refused without credentials", async (t) => {
  const { peers } = await serveGuarded(t, cardOf(both, ["bearer"]), { verifiers });
  for (const peer of peers) {
    for (const [operation, params] of [
      ["SendMessage", {}],
      ["SendStreamingMessage", {}],
      ["GetTask", { id: "t" }],
      ["ListTasks", {}],
      ["CancelTask", { id: "t" }],
      ["SubscribeToTask", { id: "t" }],
      ["CreateTaskPushNotificationConfig", { taskId: "t" }],
      ["GetTaskPushNotificationConfig", { taskId: "t", id: "c" }],
      ["ListTaskPushNotificationConfigs", { taskId: "t" }],
      ["DeleteTaskPushNotificationConfig", { taskId: "t", id: "c" }],
      ["GetExtendedAgentCard", {}],
    ] as const) {
      const { error, response } = await peer.call(operation, params);
      assert.deepEqual([error, response.status], ["UNAUTHENTICATED", 401], operation);
    }
  }
});

test("AUTHN-03: schemes that callers cannot tell apart are named once, the word as its specification writes it", async (t) => {
  const twice = {
    one: { httpAuthSecurityScheme: { scheme: "bearer" } },
    two: bearerScheme,
    basic: basicScheme,
  };
  const { rest } = await serveGuarded(t, cardOf(twice, ["one"], ["two"], ["basic"]), {
    realm: 'The "best" agent\u00e9',
    verifiers: {
      one: bearerTokens({ a: "a" }),
      two: bearerTokens({ b: "b" }),
      basic: basicUsers({ user: "password" }),
    },
  });
  assert.equal(
    (await whoAmI(rest)).response.headers.get("www-authenticate"),
    'Bearer realm="The \\"best\\" agent?", Basic realm="The \\"best\\" agent?", charset="UTF-8"',
  );
  assert.equal((await whoAmI(rest, bearer("b"))).principal.scheme, "two");
});
