import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { IncomingRequest, Verifier } from "../../src/server/index.js";
import { apiKeys, basicUsers, bearerTokens, jsonWebTokens } from "../../src/server/index.js";
import { schemes } from "./card.js";
import { makeIssuer } from "./issuer.js";

const issuer = await makeIssuer();
const rules = { issuer: issuer.name, audience: "https://agent.example", keys: issuer.keys };
const good = await issuer.token();
const parts = good.split(".");

function request(headers: IncomingRequest["headers"], query = ""): IncomingRequest {
  return { method: "POST", path: "/", query, headers };
}

/** Judges requests with made-up credentials: each shows nothing or is refused, and none is more than can be judged. */
async function neverKnown(verifier: Verifier, scheme: object, requests: fc.Arbitrary<IncomingRequest>) {
  const probe = verifier.open(scheme as Parameters<Verifier["open"]>[0]);
  await fc.assert(
    fc.asyncProperty(requests, async (made) => {
      const proof = await probe(made);
      assert.equal(proof?.identity, undefined);
    }),
    { numRuns: 300 },
  );
}

const words = fc.constantFrom("Bearer", "bearer", "Basic", "BASIC", "", "Digest");
const spaces = fc.constantFrom("", " ", "  ", "\t");
/** As `unit: "binary"`, which takes more than a second to make. */
const codePoint = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
const headerText = fc.oneof(fc.string(), fc.string({ unit: codePoint }), fc.base64String());
const authorizations = fc
  .tuple(words, spaces, headerText)
  .map(([word, space, text]) => request({ authorization: word + space + text }));

/** A good token with something wrong in it: parts replaced, joined differently, headers made up. */
const brokenTokens = fc
  .oneof(
    fc.record({
      alg: fc.oneof(fc.constantFrom("none", "HS256", "RS256", "ES256", "PS256", "dir"), fc.json()),
      kid: fc.oneof(fc.constant("key-1"), fc.string()),
      crit: fc.oneof(fc.constant(undefined), fc.array(fc.string()), fc.jsonValue()),
    }),
    fc.jsonValue(),
  )
  .chain((header) => {
    const made = Buffer.from(JSON.stringify(header) ?? "").toString("base64url");
    const other = fc.oneof(fc.base64String(), fc.string());
    return fc.tuple(
      fc.constantFrom(made, parts[0]),
      fc.oneof(fc.constant(parts[1]), other),
      fc.oneof(other, fc.constant("")),
    );
  })
  .map((made) => request({ authorization: `Bearer ${made.join(".")}` }));

test("AUTHN-04: no made-up header makes somebody of nobody, and none breaks a verifier", async () => {
  await neverKnown(bearerTokens({ "planted token": "a" }), schemes.bearer, authorizations);
  await neverKnown(basicUsers({ "planted user": "planted" }), schemes.basic, authorizations);
  await neverKnown(jsonWebTokens(rules), schemes.bearer, authorizations);
});

test("AUTHN-04: no broken token makes somebody of nobody, and none looks like a fault of the server", async () => {
  await neverKnown(jsonWebTokens(rules), schemes.bearer, brokenTokens);
});

test("AUTHN-04: no made-up key makes somebody of nobody", async () => {
  const verifier = apiKeys({ "planted key": "a" });
  const headers = headerText.map((text) => request({ "x-api-key": text }));
  await neverKnown(verifier, schemes.key, headers);
  const lists = fc.array(headerText).map((texts) => request({ "x-api-key": texts }));
  await neverKnown(verifier, schemes.key, lists);
  await neverKnown(
    verifier,
    schemes.cookieKey,
    headerText.map((text) => request({ cookie: `session=${text}` })),
  );
  const queries = headerText.map((text) => request({}, `api_key=${text}`));
  await neverKnown(verifier, schemes.queryKey, queries);
});
