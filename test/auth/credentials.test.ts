import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "vitest";
import { apiKeys, basicUsers, bearerTokens } from "../../src/server/index.js";
import { isFetch } from "../support/hosts.js";
import { cardOf, schemes } from "./card.js";
import { basic, serveGuarded, whoAmI } from "./guarded.js";

/** Header fields exactly as given, which `fetch` would join or refuse; the status and the challenge. */
function raw(url: string, fields: string[]): Promise<{ status: number | undefined; challenge: string }> {
  return new Promise((resolve, reject) => {
    const { host } = new URL(url);
    const headers = ["Host", host, "A2A-Version", "1.0", ...fields];
    const sent = request(`${url}/tasks`, { headers }, (response) => {
      response.resume();
      resolve({
        status: response.statusCode,
        challenge: String(response.headers["www-authenticate"] ?? ""),
      });
    });
    sent.on("error", reject).end();
  });
}

const hostile: [name: string, fields: string[], reason: string | undefined][] = [
  ["an empty bearer token", ["Authorization", "Bearer "], "malformed"],
  ["a bearer without a token", ["Authorization", "Bearer"], "malformed"],
  ["two tokens in one header", ["Authorization", "Bearer alice-token alice-token"], "malformed"],
  ["a token with a parameter", ["Authorization", 'Bearer token="alice-token"'], "malformed"],
  ["a token in quotes", ["Authorization", 'Bearer "alice-token"'], "malformed"],
  ["a header that is no scheme", ["Authorization", "=alice-token"], "malformed"],
  ["a token without its scheme", ["Authorization", "alice-token"], undefined],
  ["another scheme", ["Authorization", "Digest alice-token"], undefined],
  ["a scheme that goes on", ["Authorization", "BearerX alice-token"], undefined],
  ["a token that begins right", ["Authorization", "Bearer alice-toke"], "unknown"],
  ["a token of another case", ["Authorization", "Bearer Alice-Token"], "unknown"],
  ["the name of a member of every object", ["Authorization", "Bearer __proto__"], "unknown"],
  ["a huge token", ["Authorization", `Bearer ${"a".repeat(12_000)}`], "unknown"],
  [
    "two headers that agree",
    ["Authorization", "Bearer alice-token", "Authorization", "Bearer alice-token"],
    "repeated",
  ],
  [
    "two headers that differ",
    ["Authorization", "Bearer alice-token", "authorization", "Bearer wrong"],
    "repeated",
  ],
  [
    "two headers of two schemes",
    ["Authorization", "Basic YTpi", "Authorization", "Bearer alice-token"],
    "repeated",
  ],
];

/** Why two values of `Authorization` that have become one are refused: it is no token, or it begins with another scheme. */
const reasonOfJoined = ([, first = ""]: readonly string[]) =>
  first.startsWith("Bearer") ? "malformed" : undefined;

test("AUTHN-04, SEC-13: hostile bearer credentials are refused, and the log knows why", async (t) => {
  const { url, denials } = await serveGuarded(t, cardOf({ bearer: schemes.bearer }, ["bearer"]), {
    verifiers: { bearer: bearerTokens({ "alice-token": "alice" }) },
  });
  for (const [name, fields, alone] of hostile) {
    const reason = isFetch && fields.length > 2 ? reasonOfJoined(fields) : alone;
    const { status, challenge } = await raw(url, fields);
    assert.equal(status, 401, name);
    assert.match(challenge, reason === undefined ? /^Bearer realm="[^"]+"$/ : /error="invalid_token"/, name);
    assert.equal(denials.at(-1)?.reasons.bearer, reason, name);
  }
});

test("SEC-08: a token beyond the limit for headers does not get in, and others are unharmed", async (t) => {
  const { url } = await serveGuarded(t, cardOf({ bearer: schemes.bearer }, ["bearer"]), {
    verifiers: { bearer: bearerTokens({ "alice-token": "alice" }) },
  });
  assert.equal((await raw(url, ["Authorization", `Bearer ${"a".repeat(40_000)}`])).status, 431);
  assert.equal((await raw(url, ["Authorization", "Bearer alice-token"])).status, 200);
});

for (const word of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
  test(`AUTHN-01: the case of a scheme does not matter: ${word}`, async (t) => {
    const { peers } = await serveGuarded(t, cardOf({ bearer: schemes.bearer }, ["bearer"]), {
      verifiers: { bearer: bearerTokens({ "alice-token": "alice" }) },
    });
    for (const peer of peers) {
      const { principal } = await whoAmI(peer, { Authorization: `${word}   alice-token` });
      assert.equal(principal.id, "alice");
    }
  });
}

test("bearer tokens can be asked about, and serve other HTTP schemes too", async (t) => {
  const asked: string[] = [];
  const custom = { custom: { httpAuthSecurityScheme: { scheme: "DPoP" } } };
  const { peers } = await serveGuarded(t, cardOf(custom, ["custom"]), {
    verifiers: {
      custom: bearerTokens(async (token, { headers }) => {
        asked.push(token);
        return headers.dpop === "proof" ? { id: "carol", claims: { jkt: "thumb" } } : null;
      }),
    },
  });
  for (const peer of peers) {
    const { principal } = await whoAmI(peer, { Authorization: "DPoP a b", DPoP: "proof" });
    assert.deepEqual(principal, { id: "carol", scheme: "custom", claims: { jkt: "thumb" } });
    const { error, response } = await whoAmI(peer, { Authorization: "DPoP a b" });
    assert.equal(error, "UNAUTHENTICATED");
    assert.match(String(response.headers.get("www-authenticate")), /^DPoP realm=/);
  }
  assert.deepEqual(new Set(asked), new Set(["a b"]));
});

test("AUTHN-01: HTTP Basic knows users by name and password", async (t) => {
  const { peers, url } = await serveGuarded(t, cardOf({ basic: schemes.basic }, ["basic"]), {
    verifiers: {
      basic: basicUsers({
        alice: "pass:word",
        zoë: { password: "ключ", id: "zoe", scopes: ["read"] },
      }),
    },
  });
  for (const peer of peers) {
    assert.deepEqual((await whoAmI(peer, basic("alice", "pass:word"))).principal, {
      id: "alice",
      scheme: "basic",
    });
    assert.deepEqual((await whoAmI(peer, basic("zoë", "ключ"))).principal, {
      id: "zoe",
      scheme: "basic",
      scopes: ["read"],
    });
    for (const [user, password] of [
      ["alice", ""],
      ["alice", "pass"],
      ["alice:pass", "word "],
      ["", "pass:word"],
      ["bob", "pass:word"],
      ["alice", "pass:word\n"],
    ] as const) {
      assert.equal((await whoAmI(peer, basic(user, password))).error, "UNAUTHENTICATED", user);
    }
  }
  for (const credentials of ["%%%", "YWxpY2U", "YWxpY2U6cGFzczp3b3Jk!", "//8=", "YWxp Y2U6"]) {
    const { status, challenge } = await raw(url, ["Authorization", `Basic ${credentials}`]);
    assert.equal(status, 401, credentials);
    assert.equal(challenge, 'Basic realm="Guarded agent", charset="UTF-8"');
  }
});

test("basic users can be looked up", async (t) => {
  const { rest } = await serveGuarded(t, cardOf({ basic: schemes.basic }, ["basic"]), {
    verifiers: {
      basic: basicUsers(async ({ user, password }) => (password === `${user}!` ? user : undefined)),
    },
  });
  assert.equal((await whoAmI(rest, basic("dan", "dan!"))).principal.id, "dan");
  assert.equal((await whoAmI(rest, basic("dan", "x"))).error, "UNAUTHENTICATED");
});

test("CARD-21: API keys are found in header, query and cookie", async (t) => {
  const { key, queryKey, cookieKey } = schemes;
  const { url, peers } = await serveGuarded(
    t,
    cardOf({ key, queryKey, cookieKey }, ["key"], ["queryKey"], ["cookieKey"]),
    {
      verifiers: {
        key: apiKeys({ "in-header": "header" }),
        queryKey: apiKeys({ "in query&more": "query" }),
        cookieKey: apiKeys((found) => (found === "in%20cookie" ? "cookie" : null)),
      },
    },
  );
  for (const peer of peers) {
    assert.equal((await whoAmI(peer, { "x-api-KEY": "in-header" })).principal.id, "header");
    for (const cookie of ["session=in%20cookie", 'a=b; session="in%20cookie"; c=d']) {
      assert.equal((await whoAmI(peer, { Cookie: cookie })).principal.id, "cookie");
    }
    for (const cookie of ["session=wrong", "xsession=in%20cookie", "session", "session=in cookie"]) {
      assert.equal((await whoAmI(peer, { Cookie: cookie })).error, "UNAUTHENTICATED");
    }
  }
  const inQuery = async (query: string) => (await fetch(`${url}/tasks?${query}&A2A-Version=1.0`)).status;
  assert.equal(await inQuery("api_key=in+query%26more"), 200);
  assert.equal(await inQuery("api_key=in+query"), 401);
  assert.equal(await inQuery("api_key=in+query%26more&api_key=other"), 401);
  assert.equal(await inQuery("API_KEY=in+query%26more"), 401);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ListTasks" });
  const rpc = await fetch(`${url}/?api_key=in+query%26more&A2A-Version=1.0`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  assert.equal(rpc.status, 200);
});

test("AUTHN-04: an API key that comes twice, or empty, is refused", async (t) => {
  const { key, cookieKey } = schemes;
  const { url, denials } = await serveGuarded(t, cardOf({ key, cookieKey }, ["key"], ["cookieKey"]), {
    verifiers: { key: apiKeys({ secret: "a" }), cookieKey: apiKeys({ secret: "a" }) },
  });
  for (const [fields, reasons] of [
    [["X-API-Key", "secret", "x-api-key", "secret"], { key: isFetch ? "unknown" : "repeated" }],
    [["X-API-Key", ""], { key: "malformed" }],
    [["Cookie", "session=secret; session=secret"], { cookieKey: "repeated" }],
    [["Cookie", "session="], { cookieKey: "malformed" }],
    [["Cookie", "session=other"], { cookieKey: "unknown" }],
  ] as const) {
    assert.equal((await raw(url, [...fields])).status, 401);
    assert.deepEqual(denials.at(-1)?.reasons, reasons);
  }
});

test("a key may be all that the header Authorization holds", async (t) => {
  const scheme = { plain: { apiKeySecurityScheme: { location: "header", name: "Authorization" } } };
  const { rest } = await serveGuarded(t, cardOf(scheme, ["plain"]), {
    verifiers: { plain: apiKeys({ "only-key": "app" }) },
  });
  assert.equal((await whoAmI(rest, { Authorization: "only-key" })).principal.id, "app");
});
