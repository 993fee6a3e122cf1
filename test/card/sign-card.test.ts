import assert from "node:assert/strict";
import { generateAgentCardSignature, AgentCard as PeerCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import {
  base64url,
  type CryptoKey,
  compactVerify,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
} from "jose";
import { test } from "vitest";
import { type CardKey, signCard } from "../../src/card/sign-card.js";
import { type JsonObject, signedForm } from "../../src/card/signed-forms.js";
import { verifyCard } from "../../src/card/verify-card.js";
import { canonicalJson } from "../../src/json/canonical-json.js";
import { type AgentCard, isAgentCard } from "../../src/protocol/model.js";
import { fullCard } from "./sample-card.js";

const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
const key: CardKey = { key: privateKey, kid: "k1", alg: "ES256", jku: "https://rates.example/jwks.json" };

/** A card as a peer sees it after its way over the network. */
function received(card: object): JsonObject {
  return JSON.parse(JSON.stringify(card)) as JsonObject;
}

test("SIGN-01, SIGN-11, SIGN-12, SIGN-13, SIGN-14, SIGN-15: a signature is a JWS over the canonical card, with alg, kid, typ and jku", async () => {
  const card = await signCard(fullCard, [key]);
  assert.equal(isAgentCard(card), true);
  const [entry, ...others] = card.signatures ?? [];
  assert.ok(entry);
  assert.deepEqual(others, []);
  const header = decodeProtectedHeader({ protected: entry.protected });
  assert.deepEqual(header, { alg: "ES256", kid: "k1", typ: "JOSE", jku: "https://rates.example/jwks.json" });
  const payload = base64url.encode(canonicalJson(signedForm("requiredKept", { ...fullCard })));
  const { payload: covered } = await compactVerify(
    `${entry.protected}.${payload}.${entry.signature}`,
    publicKey,
  );
  assert.deepEqual(JSON.parse(new TextDecoder().decode(covered)), fullCard);
});

for (const alg of ["ES384", "RS256", "PS256", "EdDSA"]) {
  test(`SIGN-12: ${alg} keys sign and verify, as keys and as JWK`, async () => {
    const pair = await generateKeyPair(alg, { extractable: true });
    const jwk = await exportJWK(pair.privateKey);
    const card = await signCard(fullCard, [{ key: jwk, kid: "other", alg }]);
    const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: "other" };
    const verified = await verifyCard(received(card), { keys: [{ kid: "other", key: publicJwk }] });
    assert.deepEqual(verified, { card: fullCard, kid: "other", form: "received" });
  });
}

test("a key that does not fit its algorithm signs nothing", async () => {
  await assert.rejects(signCard(fullCard, [{ ...key, alg: "RS256" }]));
});

test("SIGN-21: signing again replaces the old signatures; several keys make several", async () => {
  const second = { ...key, kid: "k2" };
  const card = await signCard(await signCard(fullCard, [key]), [key, second]);
  const kids = card.signatures?.map((entry) => decodeProtectedHeader({ protected: entry.protected }).kid);
  assert.deepEqual(kids, ["k1", "k2"]);
});

const { securitySchemes: _, ...open } = fullCard;

/** Cards on which the two implementations might disagree: with and without empty members. */
const shapes: [string, AgentCard][] = [
  ["a full card", fullCard],
  ["a card with empty required members", { ...fullCard, description: "", skills: [], capabilities: {} }],
  [
    "a card with defaults written out",
    {
      ...fullCard,
      securityRequirements: [{ schemes: { oauth: { list: [] } } }],
      documentationUrl: "",
      capabilities: { streaming: false, extensions: [{ uri: "urn:x", required: false, params: { a: "" } }] },
    },
  ],
  ["a card without security schemes", open],
];

/**
 * The peer's functions take its own model of a card and the JSON form alike, but in its own model they lose what a security
 * scheme holds. Cards with schemes are given to it as JSON.
 */
function peerForm(card: object): PeerCard {
  return "securitySchemes" in card ? (card as PeerCard) : PeerCard.fromJSON(card);
}

for (const [title, card] of shapes) {
  test(`SIGN-07: ${title}, signed by @a2a-js/sdk, verifies here`, async () => {
    const sign = generateAgentCardSignature(key.key as CryptoKey, { alg: "ES256", kid: "k1", typ: "JOSE" });
    const { signatures } = await sign(peerForm(card));
    const { card: covered } = await verifyCard(received({ ...card, signatures }), {
      keys: [{ kid: "k1", key: publicKey }],
    });
    assert.equal(isAgentCard(covered), true);
    assert.equal("signatures" in covered, false);
    assert.equal(covered.name, card.name);
  });

  test(`SIGN-07: ${title}, signed here, verifies with @a2a-js/sdk`, async () => {
    const signed = received(await signCard(card, [key]));
    const asked = new Set<string | undefined>();
    const verify = verifyAgentCardSignature(async (kid, jku) => {
      asked.add(kid).add(jku);
      return publicKey;
    });
    await verify(peerForm(signed));
    assert.deepEqual([...asked], ["k1", "https://rates.example/jwks.json"]);
    await assert.rejects(verify(peerForm({ ...signed, name: "Another" })));
  });

  test(`SIGN-07: ${title}, signed here, verifies here`, async () => {
    const signed = received(await signCard(card, [key]));
    const { form } = await verifyCard(signed, { keys: [{ kid: "k1", key: publicKey }] });
    assert.notEqual(form, "emptyDropped");
  });
}
