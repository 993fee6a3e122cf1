import assert from "node:assert/strict";
import { createHmac, createPublicKey } from "node:crypto";
import { SignJWT } from "jose";
import { test, vi } from "vitest";
import { jsonWebTokens } from "../../src/server/index.js";
import { cardOf, schemes } from "./card.js";
import { bearer, serveGuarded, whoAmI } from "./guarded.js";
import { inSeconds, makeIssuer, serveDocuments, type TestIssuer } from "./issuer.js";

const issuer = await makeIssuer();
const stranger = await makeIssuer("https://issuer.example", "RS256", "key-1");
const elliptic = await makeIssuer("https://issuer.example", "ES256", "key-2");
const audience = "https://agent.example";
const card = cardOf({ bearer: schemes.bearer }, ["bearer"]);
const rules = { issuer: issuer.name, audience };

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = { iss: issuer.name, aud: audience, sub: "alice", exp: inSeconds(60) };

/** A token whose signature is an HMAC under the issuer's public key: whoever takes the algorithm from the token is fooled. */
function confused(): string {
  const jwk = issuer.keys.keys[0] ?? { kty: "RSA" };
  const pem = createPublicKey({ key: { ...jwk }, format: "jwk" }).export({ type: "spki", format: "pem" });
  const signed = `${encode({ alg: "HS256", kid: "key-1", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", pem).update(signed).digest("base64url")}`;
}

/** The token with its payload replaced, under the old signature. */
async function forged(): Promise<string> {
  const [header, , signature] = (await issuer.token()).split(".");
  return `${header}.${encode({ ...claims, sub: "root" })}.${signature}`;
}

const hostile: [name: string, token: () => Promise<string> | string, reason: string][] = [
  ["alg none", () => `${encode({ alg: "none" })}.${encode(claims)}.`, "algorithm"],
  ["alg None, with a signature", () => `${encode({ alg: "None" })}.${encode(claims)}.c2ln`, "algorithm"],
  ["a symmetric key that is the public one", confused, "algorithm"],
  ["a payload under another's signature", forged, "signature"],
  ["another key of the same name", () => stranger.token(), "signature"],
  ["an unknown kid", () => issuer.token({}, { kid: "key-9" }), "key"],
  ["a kid of another kind of key", () => elliptic.token({}, { kid: "key-1" }), "key"],
  [
    "a key that it brings along",
    () => stranger.token({}, { kid: "key-9", jwk: stranger.keys.keys[0] }),
    "key",
  ],
  ["a critical header that is not understood", () => critical(), "algorithm"],
  ["another audience", () => issuer.token({ aud: "https://other.example" }), "audience"],
  ["no audience", () => issuer.token({ aud: undefined }), "audience"],
  ["another issuer", () => issuer.token({ iss: "https://issuer.example/evil" }), "issuer"],
  ["no issuer", () => issuer.token({ iss: undefined }), "issuer"],
  ["expired", () => issuer.token({ exp: inSeconds(-30) }), "expired"],
  ["without an end", () => issuer.token({ exp: undefined }), "claims"],
  ["an end that is no number", () => issuer.token({ exp: "never" }), "claims"],
  ["not valid yet", () => issuer.token({ nbf: inSeconds(60) }), "not-yet-valid"],
  ["of nobody", () => issuer.token({ sub: undefined }), "claims"],
  ["of nobody in particular", () => issuer.token({ sub: "" }), "claims"],
  ["garbage", () => "garbage", "malformed"],
  ["garbage in three parts", () => "a.b.c", "malformed"],
  ["empty parts", () => "..", "malformed"],
  ["a header that is no JSON", () => `${Buffer.from("{").toString("base64url")}.e30.c2ln`, "malformed"],
  ["a header without algorithm", () => `${encode({})}.${encode(claims)}.c2ln`, "malformed"],
  ["four parts", async () => `${await issuer.token()}.more`, "malformed"],
  ["an encrypted token", () => `${encode({ alg: "RSA-OAEP", enc: "A256GCM" })}.a.b.c.d`, "malformed"],
  ["a huge one", async () => `${await issuer.token({ more: "x".repeat(8_000) })}x`, "signature"],
];

async function critical(): Promise<string> {
  const token = new SignJWT({ ...claims }).setProtectedHeader({
    alg: "RS256",
    kid: "key-1",
    crit: ["b64"],
    b64: true,
  });
  const [, payload, signature] = (await token.sign(issuer.privateKey)).split(".");
  return `${encode({ alg: "RS256", kid: "key-1", crit: ["unknown"], unknown: 1 })}.${payload}.${signature}`;
}

test("AUTHN-04: hostile tokens are refused on both bindings, and the audit says why", async (t) => {
  const { peers, denials } = await serveGuarded(t, card, {
    verifiers: { bearer: jsonWebTokens({ ...rules, keys: issuer.keys }) },
  });
  for (const peer of peers) {
    for (const [name, make, reason] of hostile) {
      const { error, message, response } = await whoAmI(peer, bearer(await make()));
      assert.deepEqual([error, response.status], ["UNAUTHENTICATED", 401], name);
      assert.equal(denials.at(-1)?.reasons.bearer, reason, name);
      const expected =
        reason === "expired" ? "The credentials have expired" : "The credentials are not valid";
      assert.equal(message, expected, name);
      const told = reason === "expired" ? ', error_description="The token has expired"' : "";
      assert.equal(
        response.headers.get("www-authenticate"),
        `Bearer realm="Guarded agent", error="invalid_token"${told}`,
        name,
      );
    }
  }
});

test("AUTHN-01: a good token makes its subject the principal, with scopes and claims", async (t) => {
  const { peers } = await serveGuarded(t, card, {
    verifiers: { bearer: jsonWebTokens({ ...rules, keys: issuer.keys }) },
  });
  for (const peer of peers) {
    const { principal } = await whoAmI(peer, bearer(await issuer.token({ team: "blue" })));
    assert.equal(principal.id, "alice");
    assert.equal(principal.scheme, "bearer");
    assert.deepEqual(principal.scopes, ["read", "write"]);
    assert.equal(principal.claims.team, "blue");
  }
});

const scopes: [name: string, claims: Record<string, unknown>, expected: string[]][] = [
  ["names divided by spaces", { scope: " a  b " }, ["a", "b"]],
  ["a list", { scope: undefined, scp: ["a", 7, "", "b"] }, ["a", "b"]],
  ["scp as text", { scope: undefined, scp: "a b" }, ["a", "b"]],
  ["nothing", { scope: undefined }, []],
  ["something else", { scope: { a: true } }, []],
];
for (const [name, given, expected] of scopes) {
  test(`scopes of a token are read from ${name}`, async (t) => {
    const { rpc } = await serveGuarded(t, card, {
      verifiers: { bearer: jsonWebTokens({ ...rules, keys: issuer.keys }) },
    });
    assert.deepEqual((await whoAmI(rpc, bearer(await issuer.token(given)))).principal.scopes, expected);
  });
}

test("rules of the application: scopes, type, clocks, algorithms, who it is", async (t) => {
  const verdicts: unknown[] = [{ id: "team-blue", scopes: ["all"] }, "plain", null];
  const { rest } = await serveGuarded(t, card, {
    verifiers: {
      bearer: jsonWebTokens({
        issuer: [issuer.name, elliptic.name],
        audience: ["https://first.example", audience],
        keys: { keys: [...issuer.keys.keys, ...elliptic.keys.keys] },
        algorithms: ["ES256"],
        clockTolerance: 30,
        requiredScopes: ["admin"],
        type: "at+jwt",
        identify: () => verdicts.shift() as null,
      }),
    },
  });
  const call = async (from: TestIssuer, more: object = {}, header: object = { typ: "at+jwt" }) =>
    whoAmI(rest, bearer(await from.token({ scope: "admin", ...more }, { ...header })));
  assert.equal((await call(issuer)).error, "UNAUTHENTICATED");
  assert.equal((await call(elliptic, {}, { typ: "JWT" })).error, "UNAUTHENTICATED");
  // The application gives its own scopes here, and "admin" is not among them.
  assert.equal((await call(elliptic)).error, "PERMISSION_DENIED");
  const { principal } = await call(elliptic, { exp: inSeconds(-20) });
  assert.deepEqual([principal.id, principal.scopes], ["plain", ["admin"]]);
  assert.equal((await call(elliptic)).error, "UNAUTHENTICATED");
});

test("options under which wrong tokens would be right are refused at once", () => {
  const good = { ...rules, keys: issuer.keys };
  for (const [wrong, text] of [
    [{ ...good, audience: "" }, /audience/],
    [{ ...good, audience: [] }, /audience/],
    [{ ...good, issuer: "" }, /issuer/],
    [{ ...good, issuer: [] }, /issuer/],
    [{ ...good, issuer: ["https://a.example", "https://b.example"] }, /tell their callers apart/],
    [{ ...good, algorithms: [] }, /algorithms/],
    [{ ...good, algorithms: ["RS256", "HS256"] }, /algorithms/],
    [{ ...good, algorithms: ["none"] }, /algorithms/],
    [{ ...good, keys: "http://issuer.example/keys" }, /https/],
    [{ ...good, keys: "not a URL" }, /https/],
  ] as const) {
    assert.throws(() => jsonWebTokens(wrong), { name: "TypeError", message: text });
  }
});

test("keys are fetched once, and again for a key that was added since", async (t) => {
  const { url, asked, documents } = await serveDocuments(t, { "/keys": issuer.keys });
  const { rpc } = await serveGuarded(t, card, {
    verifiers: { bearer: jsonWebTokens({ ...rules, keys: `${url}/keys` }) },
  });
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await whoAmI(rpc, bearer(await issuer.token()))).principal.id, "alice");
  }
  assert.deepEqual(asked, ["/keys"]);
  documents["/keys"] = { keys: [...issuer.keys.keys, ...elliptic.keys.keys] };
  // Within the pause after a fetch, unknown keys cause no traffic.
  for (let round = 0; round < 5; round += 1) {
    assert.equal((await whoAmI(rpc, bearer(await elliptic.token()))).error, "UNAUTHENTICATED");
  }
  assert.deepEqual(asked, ["/keys"]);
  const later = Date.now() + 31_000;
  vi.spyOn(Date, "now").mockImplementation(() => later);
  assert.equal((await whoAmI(rpc, bearer(await elliptic.token()))).principal.id, "alice");
  assert.deepEqual(asked, ["/keys", "/keys"]);
});

for (const [name, document] of [
  ["missing", undefined],
  ["elsewhere", 302],
  ["no JSON", "{"],
  ["no key set", {}],
  ["endless", `{"keys":[]${" ".repeat(300 * 1024)}}`],
] as const) {
  test(`SEC-16, ERR-20: with a key set that is ${name}, callers are told to come back, and the log why`, async (t) => {
    const { url, asked } = await serveDocuments(t, { "/keys": document });
    const { peers, lines, denials } = await serveGuarded(t, card, {
      verifiers: { bearer: jsonWebTokens({ ...rules, keys: new URL(`${url}/keys`) }) },
    });
    for (const peer of peers) {
      const { error, response } = await whoAmI(peer, bearer(await issuer.token()));
      assert.deepEqual(
        [error, response.status, response.headers.get("retry-after")],
        ["UNAVAILABLE", 503, "5"],
      );
    }
    assert.deepEqual(denials, []);
    const line = lines.find(({ level }) => level === "error");
    assert.equal(line?.text, "Credentials cannot be checked");
    assert.ok(line?.facts.err instanceof Error);
    assert.equal(asked.filter((path) => path === "/keys").length <= 2, true);
  });
}
