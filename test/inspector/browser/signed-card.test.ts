import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, type TestContext, test } from "vitest";
import { signCard } from "../../../src/card/sign-card.js";
import { connect } from "../../../src/client/index.js";
import type { AgentCard } from "../../../src/index.js";
import { serveProbe } from "../../support/probe.js";
import { authority, listenTls } from "./listen-tls.js";
import { openInspector, skip } from "./open-page.js";

/** Serves the card of the probe agent, signed, and the key set that the signature names. */
async function serveSigned(t: TestContext, change: (card: AgentCard) => AgentCard = (card) => card) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "ES256" };
  let card: AgentCard | undefined;
  const origin = await listenTls(t, (req, res) => {
    const answer = req.url?.includes("jwks") ? { keys: [jwk] } : card;
    const isCard = req.url === "/.well-known/agent-card.json" || answer !== card;
    res.writeHead(isCard ? 200 : 404, { "Content-Type": "application/json" });
    res.end(JSON.stringify(isCard ? answer : {}));
  });
  const { card: plain } = await connect(await serveProbe(t));
  const jku = `${origin}/jwks.json`;
  const signed = await signCard(plain, [{ key: privateKey, kid: "k1", alg: "ES256", jku }]);
  card = change(signed as AgentCard);
  const opened = await openInspector(t, { agent: origin, ca: authority.cert });
  const { page, show } = opened;
  await page.getByText("Probe agent").first().waitFor();
  await show("Card");
  await page.getByRole("tab", { name: "Signatures" }).click();
  await page.getByRole("heading", { name: "Signature 1" }).waitFor();
  const verify = () => page.getByRole("button", { name: "Verify the signatures" }).click();
  return { ...opened, verify, keySet: JSON.stringify({ keys: [jwk] }) };
}

describe.skipIf(skip)("a signed card", () => {
  test("is verified with a key that the person enters", async (t) => {
    const { page, verify, look, keySet } = await serveSigned(t);
    await verify();
    await page.getByRole("alert").waitFor();
    await look("card-signature-untrusted");
    await page.getByLabel("Public keys that you trust").fill(keySet);
    await verify();
    await page.getByText("Valid: signed with key k1").waitFor();
    await look("card-signature-valid");
  });

  test("is verified with the key set that it names, once the person trusts its host", async (t) => {
    const { page, verify } = await serveSigned(t);
    await page.getByLabel(/^Trust the keys at localhost/).check();
    await verify();
    await page.getByText("Valid: signed with key k1").waitFor();
  });

  test("that was changed after it was signed is not valid", async (t) => {
    const change = (card: AgentCard) => ({ ...card, description: "Someone else’s words." });
    const { page, verify, look, keySet } = await serveSigned(t, change);
    await page.getByLabel("Public keys that you trust").fill(keySet);
    await verify();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByText(/^Valid/).count(), 0);
    await look("card-signature-broken");
  });

  test("is not valid for another key of the same name", async (t) => {
    const { page, verify } = await serveSigned(t);
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const other = { ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "ES256" };
    await page.getByLabel("Public keys that you trust").fill(JSON.stringify(other));
    await verify();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByText(/^Valid/).count(), 0);
    await page.getByLabel("Public keys that you trust").fill("{ not JSON");
    await verify();
    await page.getByText("The keys are not JSON").waitFor();
  });
});
