import assert from "node:assert/strict";
import { base64url, exportJWK, FlattenedSign, generateKeyPair, type JWK } from "jose";
import { test } from "vitest";
import { CardSignatureError } from "../../src/card/card-signature-error.js";
import { type CardKey, signCard } from "../../src/card/sign-card.js";
import { type JsonObject, signedForm } from "../../src/card/signed-forms.js";
import type { TrustedKey } from "../../src/card/verification-key.js";
import { type VerifyCardOptions, verifyCard } from "../../src/card/verify-card.js";
import { canonicalJson } from "../../src/json/canonical-json.js";
import { fullCard } from "./sample-card.js";

const JKU = "https://keys.example/jwks.json";
const NOW = Date.parse("2026-01-31T12:00:00Z");

const pair = await generateKeyPair("ES256", { extractable: true });
const other = await generateKeyPair("ES256");
const signing: CardKey = { key: pair.privateKey, kid: "k1", alg: "ES256", jku: JKU };
const trusted: TrustedKey = { kid: "k1", key: pair.publicKey };
const jwk: JWK = { ...(await exportJWK(pair.publicKey)), kid: "k1" };
const signed: JsonObject = JSON.parse(JSON.stringify(await signCard(fullCard, [signing])));

async function refusal(card: unknown, options: VerifyCardOptions): Promise<CardSignatureError> {
  try {
    await verifyCard(card, options);
  } catch (error) {
    assert.ok(error instanceof CardSignatureError);
    return error;
  }
  throw new Error("the card was accepted");
}

test("SIGN-16, SIGN-18: a signature by a trusted key is enough", async () => {
  assert.deepEqual(await verifyCard(signed, { keys: [trusted] }), {
    card: fullCard,
    kid: "k1",
    form: "received",
  });
});

test("SIGN-22: a card without signatures is told apart from one whose signatures fail", async () => {
  for (const card of [fullCard, { ...fullCard, signatures: [] }, null, [], "card", { signatures: "x" }]) {
    assert.equal((await refusal(card, { keys: [trusted] })).code, "UNSIGNED");
  }
  const forged = await refusal({ ...signed, name: "Other" }, { keys: [trusted] });
  assert.equal(forged.code, "UNVERIFIED");
  assert.deepEqual(forged.reasons, ['its signature by key "k1" does not fit the card']);
  assert.match(forged.message, /k1/);
});

test("SIGN-02, SIGN-22: a card changed by one byte anywhere is refused", async () => {
  const text = JSON.stringify(fullCard);
  const { signatures } = signed;
  let tried = 0;
  for (let at = 0; at < text.length; at += 7) {
    const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
    let card: JsonObject;
    try {
      card = JSON.parse(changed);
    } catch {
      continue;
    }
    tried += 1;
    assert.equal((await refusal({ ...card, signatures }, { keys: [trusted] })).code, "UNVERIFIED", changed);
  }
  assert.ok(tried > 50, `${tried} changes were tried`);
});

test("SIGN-08, SIGN-09: an unknown member that nobody signed does not break a signature and is not handed on", async () => {
  const { card, form } = await verifyCard({ ...signed, added: "later" }, { keys: [trusted] });
  assert.equal(form, "requiredKept");
  assert.deepEqual(card, fullCard);
});

test("SIGN-08, SIGN-09: an unknown member that was signed is handed on", async () => {
  const card = { ...fullCard, added: "signed" };
  const { protected: header, signature } = await new FlattenedSign(
    new TextEncoder().encode(canonicalJson(signedForm("received", card))),
  )
    .setProtectedHeader({ alg: "ES256", kid: "k1" })
    .sign(signing.key);
  const verified = await verifyCard(
    { ...card, signatures: [{ protected: header, signature }] },
    { keys: [trusted] },
  );
  assert.deepEqual(verified, { card, kid: "k1", form: "received" });
});

test("SIGN-21, SIGN-18: while keys rotate, verifiers with the old or the new key alone accept the card", async () => {
  const next = { kid: "k2", key: other.publicKey };
  const rotated = await signCard(fullCard, [signing, { key: other.privateKey, kid: "k2", alg: "ES256" }]);
  assert.equal((await verifyCard(rotated, { keys: [trusted] })).kid, "k1");
  assert.equal((await verifyCard(rotated, { keys: [next] })).kid, "k2");
  const retired = { ...trusted, revoked: true };
  assert.equal((await verifyCard(rotated, { keys: [retired, next] })).kid, "k2");
});

const unusableKeys: [string, Partial<TrustedKey>, string][] = [
  ["SIGN-17: an expired key", { expires: new Date(NOW) }, "the key has expired"],
  ["SIGN-17: a key that is not valid yet", { notBefore: new Date(NOW + 1) }, "the key is not valid yet"],
  ["SIGN-17: a revoked key", { revoked: true }, "the key is revoked"],
  ["SIGN-19: a key for another algorithm", { alg: "ES384" }, "the key is for another algorithm"],
];
for (const [title, change, reason] of unusableKeys) {
  test(`${title} is not used`, async () => {
    const error = await refusal(signed, { keys: [{ ...trusted, ...change }], now: () => NOW });
    assert.deepEqual(error.reasons, [reason]);
  });
}

test("SIGN-17: a key whose dates include the moment is used", async () => {
  const key = { ...trusted, notBefore: new Date(NOW), expires: new Date(NOW + 1) };
  assert.equal((await verifyCard(signed, { keys: [key], now: () => NOW })).kid, "k1");
});

const unusableJwks: [string, object, string][] = [
  ["SIGN-17: exp in the past", { exp: NOW / 1000 }, "the key has expired"],
  ["SIGN-17: nbf in the future", { nbf: NOW / 1000 + 1 }, "the key is not valid yet"],
  ["SIGN-17: revoked", { revoked: { revoked_at: 1 } }, "the key is revoked"],
  ["SIGN-19: alg of its own", { alg: "ES512" }, "the key is for another algorithm"],
  ["SIGN-19: use for encryption", { use: "enc" }, "the key is not for signatures"],
  ["SIGN-19: key_ops without verify", { key_ops: ["sign"] }, "the key is not for verification"],
];
for (const [title, change, reason] of unusableJwks) {
  test(`${title}: a JWK that says so is not used`, async () => {
    const key = { kid: "k1", key: { ...jwk, ...change } as JWK };
    assert.deepEqual((await refusal(signed, { keys: [key], now: () => NOW })).reasons, [reason]);
  });
}

test("SIGN-19: algorithms come from an allow-list, and none is never on it", async () => {
  const narrow = await refusal(signed, { keys: [trusted], algorithms: ["PS256"] });
  assert.deepEqual(narrow.reasons, ["its algorithm ES256 is not allowed"]);
  const none = { protected: base64url.encode('{"alg":"none","kid":"k1"}'), signature: "" };
  const { reasons } = await refusal({ ...fullCard, signatures: [none] }, { keys: [trusted] });
  assert.deepEqual(reasons, ["its algorithm none is not allowed"]);
});

test("SIGN-19: a key of another kind than the algorithm needs is refused, a shared secret too", async () => {
  const rsa = await generateKeyPair("RS256");
  assert.equal((await refusal(signed, { keys: [{ kid: "k1", key: rsa.publicKey }] })).code, "UNVERIFIED");
  const secret = { kty: "oct", k: base64url.encode("x".repeat(32)), kid: "k1" };
  const hmac = await signCard(fullCard, [{ key: secret, kid: "k1", alg: "HS256" }]);
  assert.deepEqual((await refusal(hmac, { keys: [{ kid: "k1", key: secret }] })).reasons, [
    "its algorithm HS256 is not allowed",
  ]);
});

test("SIGN-11, SIGN-16: signatures that are not signatures, and unknown keys, are reasons", async () => {
  const header = (text: string) => ({ protected: base64url.encode(text), signature: "AA" });
  const signatures = [5, { protected: "x" }, { protected: "%", signature: "" }, header('{"alg":"ES256"}')];
  const { reasons } = await refusal({ ...fullCard, signatures }, { keys: [trusted] });
  assert.equal(reasons.length, signatures.length);
  assert.equal(reasons[3], "it names no key");
  assert.deepEqual((await refusal(signed, {})).reasons, ['its key "k1" is unknown']);
});

test("no more than 16 signatures are looked at", async () => {
  const [valid] = signed.signatures as unknown[];
  const flood = Array.from({ length: 16 }, () => ({ protected: "", signature: "" }));
  const error = await refusal({ ...signed, signatures: [...flood, valid] }, { keys: [trusted] });
  assert.equal(error.reasons.length, 16);
});

test("a card that has no canonical form is refused, not a crash", async () => {
  const error = await refusal({ ...signed, name: "\ud800" }, { keys: [trusted] });
  assert.equal(error.code, "UNVERIFIED");
});

/** A key server that answers once and notes what it was asked. */
function keyServer(answer: Response | Error) {
  const asked: { url: string; redirect: string | undefined }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push({ url: String(input), redirect: init?.redirect });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, fetch };
}

test("SIGN-16, SIGN-20: the key set at jku is read over https from an allowed host, without redirects", async () => {
  const { asked, fetch } = keyServer(Response.json({ keys: [{ kty: "EC", kid: "k0" }, jwk] }));
  const { kid } = await verifyCard(signed, { keySets: { hosts: ["keys.example"], fetch } });
  assert.equal(kid, "k1");
  assert.deepEqual(asked, [{ url: JKU, redirect: "error" }]);
});

test("SIGN-20: without a policy jku is not followed; other hosts and plain http are refused unasked", async () => {
  assert.deepEqual((await refusal(signed, {})).reasons, ['its key "k1" is unknown']);
  const { asked, fetch } = keyServer(new Error("not to be asked"));
  const elsewhere = await refusal(signed, { keySets: { hosts: ["keys.example:8443"], fetch } });
  assert.deepEqual(elsewhere.reasons, ["its jku is on keys.example, which is not allowed"]);
  for (const [jku, reason] of [
    ["http://keys.example/jwks.json", "its jku is not https"],
    ["jwks.json", "its jku is not a URL"],
  ] as const) {
    const card = await signCard(fullCard, [{ ...signing, jku }]);
    assert.deepEqual((await refusal(card, { keySets: { hosts: ["keys.example"], fetch } })).reasons, [
      reason,
    ]);
  }
  assert.deepEqual(asked, []);
});

test("SIGN-16: a trusted key of that name goes before jku", async () => {
  const { asked, fetch } = keyServer(Response.json({ keys: [jwk] }));
  const wrong = { kid: "k1", key: other.publicKey };
  await refusal(signed, { keys: [wrong], keySets: { hosts: ["keys.example"], fetch } });
  assert.deepEqual(asked, []);
});

const badKeySets: [string, () => Response, RegExp][] = [
  ["an error", () => new Response("", { status: 500 }), /answers 500/],
  ["no JSON", () => new Response("<html>"), /JSON/],
  ["no keys", () => Response.json([]), /unknown/],
  ["another key", () => Response.json({ keys: [{ kty: "EC", kid: "k2" }, 5] }), /unknown/],
  ["too much", () => new Response("x".repeat(256 * 1024 + 1)), /too large/],
];
for (const [title, answer, reason] of badKeySets) {
  test(`SIGN-16, SEC-16: a key set with ${title} verifies nothing`, async () => {
    const { fetch } = keyServer(answer());
    const error = await refusal(signed, { keySets: { hosts: ["keys.example"], fetch } });
    assert.match(String(error.reasons), reason);
  });
}

test("SEC-16: the body of a key set that is not there is not read, and its connection is released", async () => {
  let canceled = false;
  const body = new ReadableStream({
    cancel: () => {
      canceled = true;
    },
  });
  const { fetch } = keyServer(new Response(body, { status: 404 }));
  const error = await refusal(signed, { keySets: { hosts: ["keys.example"], fetch } });
  assert.deepEqual(error.reasons, ["its jku answers 404"]);
  assert.ok(canceled);
});

test("SIGN-17: a key set may date its keys", async () => {
  const { fetch } = keyServer(Response.json({ keys: [{ ...jwk, exp: NOW / 1000 }] }));
  const error = await refusal(signed, { keySets: { hosts: ["keys.example"], fetch }, now: () => NOW });
  assert.deepEqual(error.reasons, ["the key has expired"]);
});
