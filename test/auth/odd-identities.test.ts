import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import {
  type AuthOptions,
  apiKeys,
  basicUsers,
  bearerTokens,
  jsonWebTokens,
  type VerifierAnswer,
} from "../../src/server/index.js";
import { plainCard } from "../support/peer.js";
import { cardOf, schemes } from "./card.js";
import { basic, bearer, serveGuarded, whoAmI } from "./guarded.js";
import { makeIssuer } from "./issuer.js";

const issuer = await makeIssuer();
const tokens = { issuer: issuer.name, audience: "https://agent.example", keys: issuer.keys };

/** What is no identity, and no text that could be the id of one. */
const odd: Record<string, unknown> = {
  "a number": 5,
  zero: 0,
  true: true,
  "an empty list": [],
  "a list with an id": ["alice"],
  "an object without an id": { sub: "alice" },
  "an id that is a number": { id: 5 },
  "an id that is an object": { id: { toString: () => "alice" } },
  "scopes that are one text": { id: "alice", scopes: "admin" },
  "scopes that are no texts": { id: "alice", scopes: [1, { toString: () => "admin" }] },
  "scopes that are an object": { id: "alice", scopes: { admin: true } },
  "claims that are a list": { id: "alice", claims: ["admin"] },
  "claims that are a text": { id: "alice", claims: "admin" },
};

/** A caller must be refused, told how to identify itself, and the log says what was wrong. */
async function assertRefused(
  t: TestContext,
  card: object,
  auth: AuthOptions,
  expected: { headers: Record<string, string>; reasons: object; challenge: RegExp },
): Promise<void> {
  const { peers, lines, denials } = await serveGuarded(t, { ...plainCard, ...card }, auth);
  for (const peer of peers) {
    const { error, response, principal } = await whoAmI(peer, expected.headers);
    assert.equal(error, "UNAUTHENTICATED");
    assert.equal(principal, undefined);
    assert.match(response.headers.get("www-authenticate") ?? "", expected.challenge);
  }
  const told = lines.filter(({ text }) => text === "A caller was refused");
  assert.deepEqual(
    told.map(({ facts }) => facts.reasons),
    peers.map(() => expected.reasons),
  );
  assert.deepEqual(
    lines.filter(({ level }) => level === "error"),
    [],
  );
  assert.equal(denials.length, peers.length);
}

const login = cardOf({ login: schemes.bearer }, ["login"]);
const INVALID = /^Bearer .*error="invalid_token"/;

const subjects = {
  ...odd,
  "an object that would be an identity": { id: "alice", scopes: ["admin"] },
  "no subject": undefined,
  null: null,
  "an empty text": "",
};
for (const [name, sub] of Object.entries(subjects)) {
  test(`AUTHN-04: a token whose subject is ${name} is refused`, async (t) => {
    const headers = bearer(await issuer.token({ sub }));
    const auth = { verifiers: { login: jsonWebTokens(tokens) } };
    await assertRefused(t, login, auth, { headers, reasons: { login: "claims" }, challenge: INVALID });
  });
}

for (const [name, verdict] of Object.entries(odd)) {
  test(`AUTHN-04: a verifier that takes a caller for ${name} lets nobody in`, async (t) => {
    const give = () => verdict as VerifierAnswer;
    const headers = bearer(await issuer.token());
    for (const verifier of [
      jsonWebTokens({ ...tokens, identify: give }),
      jsonWebTokens({ ...tokens, identify: async () => give() }),
      bearerTokens(give),
      { open: () => () => ({ identity: verdict }) as never },
      { open: () => async () => ({ identity: verdict }) as never },
      { open: () => () => verdict as never },
    ]) {
      const auth = { verifiers: { login: verifier } };
      await assertRefused(t, login, auth, { headers, reasons: { login: "identity" }, challenge: INVALID });
    }
    const key = cardOf({ key: schemes.key }, ["key"]);
    await assertRefused(
      t,
      key,
      { verifiers: { key: apiKeys(give) } },
      {
        ...{ headers: { "X-API-Key": "any" }, reasons: { key: "identity" }, challenge: /^ApiKey / },
      },
    );
    const user = cardOf({ user: schemes.basic }, ["user"]);
    await assertRefused(
      t,
      user,
      { verifiers: { user: basicUsers(give) } },
      {
        ...{ headers: basic("ann", "secret"), reasons: { user: "identity" }, challenge: /^Basic / },
      },
    );
    await assertRefused(
      t,
      {},
      { authenticate: give as never },
      {
        ...{ headers, reasons: { authenticate: "identity" }, challenge: /^Bearer / },
      },
    );
  });
}

test("AUTHN-04: a text in place of a principal is refused", async (t) => {
  await assertRefused(
    t,
    {},
    { authenticate: (() => "alice") as never },
    {
      ...{ headers: {}, reasons: { authenticate: "identity" }, challenge: /^Bearer / },
    },
  );
});

test("TEN-08: a tenant exists when the function says true, and nothing else", async (t) => {
  for (const answer of ["yes", 1, {}, [], new Boolean(true)]) {
    const { peers } = await serveGuarded(t, plainCard, { tenants: (() => answer) as never });
    for (const peer of peers) assert.equal((await whoAmI(peer)).error, "INVALID_PARAMS");
  }
});
