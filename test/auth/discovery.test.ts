import assert from "node:assert/strict";
import { test, vi } from "vitest";
import type { SecurityScheme } from "../../src/index.js";
import { oauth2, openIdConnect } from "../../src/server/index.js";
import { cardOf } from "./card.js";
import { bearer, serveGuarded, whoAmI } from "./guarded.js";
import { makeIssuer, serveDocuments } from "./issuer.js";

const issuer = await makeIssuer();
const audience = "https://agent.example";
const OPENID = "/.well-known/openid-configuration";
const OAUTH = "/.well-known/oauth-authorization-server";
const flows = { clientCredentials: { tokenUrl: "https://issuer.example/token", scopes: { read: "Read." } } };

const openIdScheme = (openIdConnectUrl: string): SecurityScheme => ({
  openIdConnectSecurityScheme: { openIdConnectUrl },
});
const oauthScheme = (oauth2MetadataUrl?: string): SecurityScheme => ({
  oauth2SecurityScheme: { flows, ...(oauth2MetadataUrl && { oauth2MetadataUrl }) },
});

for (const [name, path, makeScheme, verifier, issuerPath] of [
  ["OpenID Connect", OPENID, openIdScheme, openIdConnect, ""],
  ["OpenID Connect below a path", `/realm${OPENID}`, openIdScheme, openIdConnect, "/realm"],
  ["OAuth 2.0", OAUTH, oauthScheme, oauth2, ""],
  ["OAuth 2.0 below a path", `${OAUTH}/realm`, oauthScheme, oauth2, "/realm"],
  ["OAuth 2.0 in a place of its own", "/metadata", oauthScheme, oauth2, "/realm"],
] as const) {
  test(`AUTHN-01, CARD-18, CARD-19: ${name}: issuer and keys are found by the URL in the card, once`, async (t) => {
    const documents: Record<string, unknown> = { "/keys": issuer.keys };
    const { url, asked } = await serveDocuments(t, documents);
    documents[path] = { issuer: url + issuerPath, jwks_uri: `${url}/keys` };
    const { peers } = await serveGuarded(t, cardOf({ login: makeScheme(url + path) }, { login: ["read"] }), {
      verifiers: { login: verifier({ audience }) },
    });
    for (const peer of peers) {
      const good = await issuer.token({ iss: url + issuerPath });
      assert.equal((await whoAmI(peer, bearer(good))).principal.id, "alice");
      const foreign = await issuer.token({ iss: `${url}/other` });
      assert.equal((await whoAmI(peer, bearer(foreign))).error, "UNAUTHENTICATED");
      const narrow = await issuer.token({ iss: url + issuerPath, scope: "write" });
      assert.equal((await whoAmI(peer, bearer(narrow))).error, "PERMISSION_DENIED");
    }
    assert.deepEqual(asked, [path, "/keys"]);
  });
}

test("OAuth 2.0: issuer and keys can be given instead", async (t) => {
  const { rest } = await serveGuarded(t, cardOf({ login: oauthScheme() }, ["login"]), {
    verifiers: { login: oauth2({ audience, issuer: issuer.name, keys: issuer.keys }) },
  });
  assert.equal((await whoAmI(rest, bearer(await issuer.token()))).principal.id, "alice");
});

test("OAuth 2.0: metadata can be somewhere else than the card says, and the issuer as well", async (t) => {
  const documents: Record<string, unknown> = { "/keys": issuer.keys };
  const { url } = await serveDocuments(t, documents);
  documents["/metadata"] = { issuer: issuer.name, jwks_uri: `${url}/keys` };
  const { rest } = await serveGuarded(
    t,
    cardOf({ login: oauthScheme("https://nowhere.example") }, ["login"]),
    {
      verifiers: { login: oauth2({ audience, issuer: issuer.name, metadataUrl: `${url}/metadata` }) },
    },
  );
  assert.equal((await whoAmI(rest, bearer(await issuer.token()))).principal.id, "alice");
});

const faulty: [name: string, metadata: (url: string) => unknown, reason: RegExp][] = [
  [
    "are another issuer's",
    (url) => ({ issuer: "https://issuer.example", jwks_uri: `${url}/keys` }),
    /another issuer/,
  ],
  ["are of another path", (url) => ({ issuer: `${url}/x`, jwks_uri: `${url}/keys` }), /another issuer/],
  ["name an issuer that is no URL", (url) => ({ issuer: "me", jwks_uri: `${url}/keys` }), /another issuer/],
  ["name no keys", (url) => ({ issuer: url }), /no jwks_uri/],
  ["name no issuer", (url) => ({ jwks_uri: `${url}/keys` }), /no issuer/],
  ["keep keys in the open", (url) => ({ issuer: url, jwks_uri: "http://issuer.example/keys" }), /https/],
  ["are no object", () => "null", /no issuer/],
  ["are no JSON", () => "{", /JSON/],
  ["are not there", () => undefined, /answers 404/],
];

for (const [name, metadata, reason] of faulty) {
  test(`SEC-16: metadata that ${name} let nobody in, and are not asked for again at once`, async (t) => {
    const documents: Record<string, unknown> = { "/keys": issuer.keys };
    const { url, asked } = await serveDocuments(t, documents);
    documents[OPENID] = metadata(url);
    const { peers, lines } = await serveGuarded(t, cardOf({ login: openIdScheme(url + OPENID) }, ["login"]), {
      verifiers: { login: openIdConnect({ audience }) },
    });
    const token = bearer(await issuer.token({ iss: url }));
    for (const peer of peers) {
      const { error, response } = await whoAmI(peer, token);
      assert.deepEqual([error, response.status], ["UNAVAILABLE", 503]);
    }
    assert.match(String(lines.find(({ level }) => level === "error")?.facts.err), reason);
    assert.deepEqual(asked, [OPENID]);
    documents[OPENID] = { issuer: url, jwks_uri: `${url}/keys` };
    const later = Date.now() + 6_000;
    vi.spyOn(Date, "now").mockImplementation(() => later);
    for (const peer of peers) assert.equal((await whoAmI(peer, token)).principal.id, "alice");
  });
}

test("a fetch of the application is used for metadata and keys", async (t) => {
  const asked: string[] = [];
  const documents: Record<string, unknown> = {
    [`https://issuer.example${OPENID}`]: {
      issuer: issuer.name,
      jwks_uri: "https://keys.example/set",
    },
    "https://keys.example/set": issuer.keys,
  };
  const { rest } = await serveGuarded(
    t,
    cardOf({ login: openIdScheme(`https://issuer.example${OPENID}`) }, ["login"]),
    {
      verifiers: {
        login: openIdConnect({
          audience,
          fetch: async (url, init) => {
            assert.equal(init?.redirect, "error");
            asked.push(String(url));
            return Response.json(documents[String(url)]);
          },
        }),
      },
    },
  );
  assert.equal((await whoAmI(rest, bearer(await issuer.token()))).principal.id, "alice");
  assert.deepEqual(asked, Object.keys(documents));
});
